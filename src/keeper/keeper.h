#pragma once
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "keeper/channel.h"
#include "keeper/job.h"
#include "keeper/space.h"
#include "keeper/spawner.h"
#include "os/home.h"

namespace talaria {

// With fewer no job could run beside what the keeper itself holds and keeps in reserve.
constexpr uint64_t fewest_open_files = 36;

// The keeper itself: owns every job, answers the gateway, and goes when it has neither. One thread, one loop.
class Keeper {
 public:
  Keeper(Loop& loop, const Home& home, Spawner spawner, Result<Cgroups> cgroups, UniqueFd listener,
         uint64_t open_files);

  // Accepts from another listening socket from now on.
  void listen_on(UniqueFd listener);

 private:
  struct Entry {
    std::unique_ptr<Job> job;
    std::list<Job::Answer> start_answers;
    Loop::Timer start_deadline{};
    std::shared_ptr<bool> wanted = std::make_shared<bool>(true);  // gone with it, for who waits to start it
    bool forgotten = false;
  };
  using Channels = std::map<int64_t, std::unique_ptr<Channel>>;

  void listen();
  void accept();
  void greet(Channel& channel);
  void take(int64_t connection, Frame frame);
  void lose(int64_t connection);

  void start(int64_t connection, int64_t seq, Frame& frame);
  Result<JobOrder> order_from(Frame& frame) const;
  void give_kept(int64_t connection, int64_t seq, const Job& job);
  void warm(Frame& frame);
  void show(int64_t connection, int64_t seq, const Frame& frame);
  void answer_start(const std::string& id, Result<JobStatus> outcome);
  void read(int64_t connection, int64_t seq, const JsonObject& header, Job& job);
  bool send_chunk(int64_t connection, int64_t seq, const JsonObject& header, Job& job, bool even_if_empty);
  void wait_for_output(int64_t connection, int64_t seq, const JsonObject& header, Job& job);
  void launch(const std::string& id, Launcher& launcher);
  uint64_t kept_in_reserve() const;
  Error too_many(const Error& why, const std::string& starting) const;
  void open_space(Frame& frame);
  Result<SpaceOrder> space_order_from(Frame& frame) const;
  Result<> check_steps(const JsonObject& header, const std::string& space) const;
  Error why_not_there(const std::string& space) const;
  void close_space(const std::string& id, bool when_unused);
  void tell_unjudged(const std::string& space, const Error& why);
  void tell_jobs_in(const std::string& space, const std::vector<Violation>& found);
  bool others_live_in(const std::string& space, const std::string& but) const;
  bool in_use(const std::string& space) const;
  void keep_watching();
  void watch_spaces();
  void stop_the_rest(const std::string& id, const LimitStop& why);
  Clock::duration guard_memory_floor(Clock::time_point now);
  void stop_at_memory_floor(const MachineMemory& memory, Clock::time_point now);
  void watch_again_after(Clock::duration pause);
  void watch(Space& space, std::vector<Job*> jobs, WatchRound& round);
  Result<> room_for_start(const std::string& space);
  uint64_t processes_in(Space& space) const;
  void blame_limit(Job& job);
  void note_before(Space& space, Job& job);
  void look_after(Job& job);
  std::string as_we_found_it(const std::string& probe) const;
  void space_gone(const std::string& id, const Error& why);
  void give_files(int64_t connection, int64_t seq, const std::string& space);
  void probe(int64_t connection, int64_t seq, const JsonObject& header);
  void act(int64_t connection, int64_t seq, Frame& frame);
  void act_on_job(int64_t connection, int64_t seq, Frame& frame, Job& job);
  void shut_down(int64_t connection, int64_t seq);

  void job_ended(Job& job);
  bool judge(const Job& job);
  void job_gone(Job& job);
  void drop(const std::string& id);
  void reap();
  void replace_spawner();
  void kill_strays();
  void leave_if_idle();
  void leave_when_nothing_is_left();

  void reply(int64_t connection, int64_t seq, const Result<JobStatus>& outcome);
  void fail(int64_t connection, int64_t seq, const Error& error);
  // `send` is called with the channel.
  template <class Send>
  void tell(int64_t connection, int64_t seq, const Send& send);
  void broadcast(const JsonObject& header, std::string_view payload);
  std::string all_jobs() const;
  JsonArray all_spaces() const;

  Loop& loop_;
  Home home_;
  Spawner spawner_;
  UniqueFd listener_;
  uint64_t open_files_;
  std::string instance_;
  std::map<std::string, Entry> jobs_;
  Result<Cgroups> cgroups_;  // or why there are none
  std::map<std::string, std::unique_ptr<Space>> spaces_;
  std::map<std::string, Error> never_stood_;  // why, of the last few that failed
  struct Probing {
    UniqueFd socket;
    std::string text;
    Loop::Watch watch;
  };
  std::map<int64_t, Probing> probings_;
  int64_t last_probing_ = 0;
  int64_t last_connection_ = 0;
  Channels channels_;
  std::function<void()> when_empty_;
  UniqueFd child_signals_;
  Loop::Timer idle_;
  PulseReader pulse_;
  MemoryFloor memory_floor_;
  std::string stopped_for_memory_;  // the job that was stopped last for the machine's sake
  Clock::time_point stopped_for_memory_at_{};
  Clock::time_point next_whole_round_{};
  std::set<std::string, std::less<>> hurried_;  // spaces that are looked at between two whole rounds
  Loop::Timer watchdog_;                        // runs while something runs in a sandbox
  std::list<Loop::Timer> releases_;             // oldest first
  Clock::time_point next_complaint_{};
  Loop::Timer listen_again_;
  Loop::Timer spawner_again_;
  bool spawner_died_ = false;
  bool strays_ = false;  // processes whose supervisor was killed may be left
  Loop::Watch child_watch_;
  Loop::Watch accept_watch_;
};

}  // namespace talaria
