#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/live_job.h"
#include "keeper/greeting.h"
#include "loop/loop.h"
#include "loop/worker_pool.h"
#include "os/home.h"
#include "process/permit.h"
#include "store/store.h"
#include "tools/operation.h"

namespace talaria {

// Between SIGTERM and SIGKILL, for a job that is to end.
inline constexpr auto job_grace = 5s;

// Of a start that names the id of a job that is not the caller's.
Error another_has_this_id(const std::string& id);

// Every job: the live ones in memory, joined to the keeper; the rest in the store. A kill of this process at any moment
// loses no job: the keeper has all that its row needs from the start on, and forgets nothing before it is stored. The
// row itself is written a moment later, with others in one transaction, so that a short job costs one write. While the
// store can write nothing (locked, a full disk) jobs go on in memory and at the keeper.
class Jobs {
 public:
  struct Events {
    // Found at the keeper when we connected; whoever started it is gone.
    std::function<void(LiveJob&)> on_taken_up;
    // The command is over, or lost. Called once, after those who watch this job.
    std::function<void(LiveJob&)> on_finished;
    std::function<void(const std::string&)> on_trouble;  // for the log
    std::function<void(const KeeperClient&)> on_connected;
    // A sandbox did not stand, or fell.
    std::function<void(const std::string& space, const std::string& reason)> on_space_gone;
  };

  Jobs(Loop& loop, WorkerPool& workers, const Home& home, Store& store, Events events);
  ~Jobs();

  // Those that were removed while an earlier gateway could not remove their rows: from now on they are gone here, too.
  // Before connect.
  std::vector<std::string> take_up_removed();
  // Connects to the keeper, or starts one, and takes up what it has.
  Result<> connect();
  // The keeper; a new one when the last was lost.
  Result<KeeperClient*> keeper();
  pid_t keeper_pid() const { return keeper_ ? keeper_->keeper_pid() : 0; }
  // What a person should know of a keeper that does not answer; empty when there is nothing.
  std::string keeper_notice() const;
  std::string keeper_version() const { return keeper_ ? keeper_->version() : ""; }

  struct Start {
    JobRow row;
    JobDetails details;
    StartOptions options;
    SharedEnvironment secrets;
    int64_t most_running = 0;  // exec.max_jobs; 0: the keeper decides
  };
  // Starts the job. Whether that worked and how it ends comes through a watch. The job is ours from
  // here on: dropping what asked for it does not undo it.
  Result<LiveJob*> start(Permit permit, Start start);

  struct Errand {
    Clock::duration timeout{};
    std::string space{};               // the sandbox to run in; empty: the plain host
    std::vector<std::string> steps{};  // what must confine it there
    UniqueFd input{};                  // its stdin; none: empty
    UniqueFd errors{};                 // its stderr; none: the same as stdout
    bool leaves_nothing = false;       // what it leaves running is ended with it
    // With it the output comes as it is printed, all of it, and the command waits for whoever takes it; without, all at
    // once, up to 4 MiB, and it never touches the disk.
    std::function<void(std::string_view)> on_output{};
  };
  struct ErrandEnd {
    int exit_code = 0;
    int exit_signal = 0;
    std::string output;
  };
  // Runs one of our own fixed commands (the gate cut its permit). It is no job: nobody sees it, and the next gateway
  // ends it. What it leaves running stays, for it may be the user's (an ssh-agent), unless the errand says otherwise.
  // Gives its id.
  std::string run_errand(Permit permit, Errand errand, Done<ErrandEnd> done);
  // Nobody wants its answer any more; it is ended.
  void drop_errand(const std::string& id);

  LiveJob* live(const std::string& id);
  // By id or unique prefix; of one session, or of all. The row is as of now.
  Result<JobRow> find(const std::string& prefix, const std::optional<std::string>& session);
  // The running ones of one session or of all, the last started first.
  std::vector<JobRow> running_rows(const std::optional<std::string>& session) const;
  // The finished ones the store does not know as such yet, the last ended first: they come before all that it knows.
  std::vector<JobRow> unstored_ends(const std::optional<std::string>& session) const;
  // A piece of the finished ones in the store, the last ended first.
  Result<std::vector<JobRow>> finished_rows(const std::optional<std::string>& session, JobPage page);
  // What was read from the store, as it is now.
  void refresh(std::vector<JobRow>& rows) const;

  // Up to where a reader has seen its output.
  Result<uint64_t> reader_offset(const std::string& id, const std::string& reader);
  Result<> set_reader_offset(const std::string& id, const std::string& reader, uint64_t offset);

  [[nodiscard]] JobWatch watch(LiveJob& job, std::function<void(LiveJob&)> changed);

  // SIGTERM, grace, SIGKILL to all of it, without an answer: for jobs whose owner is gone.
  void end(const std::string& id);
  // This process is about to go: from now on no job is ended because its caller is gone.
  void leave();
  // Someone is told of jobs: the youngest get their rows now, so that they are known whatever is killed next.
  void store_young();
  // Keeps what changed in its details.
  void save(const LiveJob& job);
  // A caller is told how it ended, so nobody else need be. The keeper keeps that until the row is stored.
  void end_is_told(LiveJob& job);
  // Forgets a finished one, with its files. What it gives is for the answer: that a restart may bring it back, and why;
  // empty in almost every case.
  Result<std::string> forget(const std::string& id);
  // It was, and may still have its row.
  bool is_removed(const std::string& id) const { return removed_.contains(id); }

  struct Count {
    int64_t running = 0;
    int64_t finished = 0;
  };
  Result<Count> count(const std::optional<std::string>& session = {}) const;
  // Those that have a process or whose end is not stored yet.
  std::set<std::string> live_ids() const;
  // True while one of its jobs runs that is none of `others`.
  bool session_has_running(const std::string& session, const std::set<std::string>& others = {}) const;
  // Its jobs that left processes behind which should go with it.
  std::vector<std::string> leftovers_of(const std::string& session) const;
  std::vector<std::string> running() const;
  // Tries again to get what is missing of those that are over.
  void settle_all();

  const Home& home() const { return home_; }

 private:
  Result<> check_room(int64_t most) const;
  void started(const std::string& id, Result<JobStatus> status);
  void ended(const JobStatus& status, std::optional<std::string> output);
  void gone(const JobStatus& status);
  void lost(const Error& why);
  Result<> join(Greeting greeting);
  bool keeper_is_silent() const;
  void found_keeper(Result<Greeting> greeting, const Error& why, Clock::duration pause);
  void give_up_starting();
  void look_for_keeper(const Error& why, Clock::duration pause);
  void lose_all_but(const std::set<std::string>& there, const Error& why);
  void lose(const std::string& id, const Error& why);

  void errand_ended(const JobStatus& status, std::optional<std::string> output);
  void read_errand(const std::string& id);
  void read_errand_soon(const std::string& id);
  void finish_errand(const std::string& id, Result<ErrandEnd> end);
  void lose_errands(const Error& why);

  void take_up(const JobStatus& status);
  void take_up_without_keeper(JobRow row);
  void take_up_starting(JobRow row);
  void rejoin(const JobStatus& status);
  void ask_for_start(LiveJob& job, std::function<void(LiveJob&)> begun);
  void finish(LiveJob& job);
  // The row's place among what waits to be written: as it is then, or its removal.
  PendingWrite row_write(const std::string& id, Clock::duration delay = {});
  Result<> write_row(const std::string& id);
  void row_stored(const std::string& id);
  void drop_stored(const std::string& id);
  void remove_row(const std::string& id);
  void remove_folder(const std::string& id);
  void drop_what_cannot_wait();
  void tell_given_up();
  void write_refused_again();
  std::vector<const LiveJob*> without_row(const std::string& prefix, const std::optional<std::string>& session);
  void settle(LiveJob& job);
  void store_settled(LiveJob& job);
  void collect(LiveJob& job);
  void tell_watchers(LiveJob& job);
  static bool end_is_unstored(const LiveJob& job, const std::optional<std::string>& session);

  Loop& loop_;
  WorkerPool& workers_;
  Home home_;
  Store& store_;
  Events events_;
  std::vector<std::unique_ptr<KeeperClient>> lost_keepers_;  // about to go
  std::unique_ptr<KeeperClient> keeper_;
  std::map<std::string, std::unique_ptr<LiveJob>> live_;
  struct RunningErrand {
    std::function<void(std::string_view)> on_output;
    Done<ErrandEnd> done;
    KeeperClient::Call starting;
    KeeperClient::Call reading;
    Loop::Timer pause;
    bool leaves_nothing = false;
    uint64_t taken = 0;               // bytes of its output
    std::optional<JobStatus> status;  // how it ended, while output is still to be read
  };
  std::map<std::string, RunningErrand> errands_;
  std::set<std::string> young_;                                      // they have no row yet
  std::set<std::string> removed_;                                    // their rows may still be there
  std::map<std::pair<std::string, std::string>, uint64_t> offsets_;  // by job and reader: those not stored yet
  size_t settled_ = 0;                                               // so far
  size_t given_up_ = 0;                                              // finished jobs, while nothing could be stored
  bool removals_noted_ = false;                                      // outside of the database, too
  bool leaving_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // posted calls ask whether we still are
  std::optional<Clock::time_point> silent_since_;               // there is a keeper, and it cannot be reached
  Error silence_{ErrorCode::unavailable, "the keeper does not answer"};
  std::vector<std::string> removed_folders_;  // looked at once more
  Loop::Timer remove_again_;
  Loop::Timer look_again_;  // for a keeper that lives and cannot be reached
};

}  // namespace talaria
