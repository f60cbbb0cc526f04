#pragma once
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "keeper/job_output.h"
#include "keeper/job_status.h"
#include "keeper/launcher.h"
#include "keeper/stdin_pump.h"
#include "loop/loop.h"
#include "os/boot_clock.h"
#include "os/pty.h"
#include "sandbox/space_order.h"
#include "sandbox/usage.h"

namespace talaria {

// What the keeper was asked to start.
struct JobOrder {
  std::string job;
  SpawnOrder spawn;
  std::string space;  // the sandbox it runs in; empty: none
  enum class Input { null, pipe, fd, terminal } input = Input::null;
  UniqueFd input_fd;
  WindowSize window;
  Clock::duration timeout{};
  Clock::duration grace = 5s;
  uint64_t max_log_bytes = 64 << 20;
  JobOutput::Place place = JobOutput::Place::disk;
  JsonObject meta;
  std::vector<NumberedFd> fds;  // the command finds them under their numbers
  std::vector<UniqueFd> kept;   // held for whoever asks, while the job lives
};

// Who is told an outcome; one there is no memory for is told just that.
using JobAnswer = std::function<void(Result<JobStatus>)>;
void give(const JobAnswer& answer, const Result<JobStatus>& outcome);

// One job in the keeper, from its start to the moment nothing of it is left.
//   starting → running → ended (the command is over, children may live on) → gone
class Job {
 public:
  // None of them destroys the job.
  struct Events {
    std::function<void(Result<JobStatus>)> on_started;  // or why not; then the job is of no more use
    // It is over: whether somebody looks at what it left first, and then calls judged().
    std::function<bool(Job&)> judge;
    std::function<void(Job&)> on_ended;
    std::function<void(Job&)> on_gone;
  };

  Job(Loop& loop, std::string folder, JobOrder order, Events events);
  // In a sandbox whose workspace is guarded the command is only prepared until it is let run.
  Result<> start(Launcher& launcher);
  void let_run();

  JobStatus status() const;
  const std::string& id() const { return order_.job; }
  const JobOutput& output() const { return output_; }
  bool starting() const { return state_ == State::starting; }
  bool gone() const { return state_ == State::gone; }
  int64_t started_boot_ns() const { return status_.started_boot_ns; }
  // Whether processes of it live, or are about to; `init` is the first of them, 0 while it is not known.
  bool lives() const;
  // What it left has been looked at.
  void judged();
  bool is_being_judged() const { return unjudged_ || going_; }
  pid_t init() const { return watched_.init; }
  const std::string& space() const { return order_.space; }

  using Answer = JobAnswer;
  void write(std::string data, bool eof, const std::optional<StdinPosition>& position, Answer answer);
  Result<JobStatus> resize(WindowSize size);
  Result<JobStatus> signal(int signal);
  void end(Clock::duration grace, EndReason reason, Answer answer);
  // Reads all that is in the pipe now, unless a reader holds it back: what was printed before is in output() then.
  JobStatus drain();
  // Duplicates of what the job was given to keep; none when it is gone.
  Result<std::vector<UniqueFd>> kept() const;
  // It could not be started: whoever waits for its end hears so.
  void never_started(const Error& why);
  // It took more than its sandbox may: ends it at once, and its status says why.
  void stop(LimitStop why);

  // It has ended, and this is why: the kernel ended it.
  void blame(LimitStop why);

  // How often the network had been tried in vain before it started; see Space::tried_before.
  void note_tried(uint64_t before) { tried_before_ = before; }
  // Others run in its sandbox beside it.
  void note_company() { in_company_ = true; }
  bool failed() const { return status_.exit_code != 0 || status_.exit_signal != 0; }
  // It has ended.
  void judge_network(uint64_t tried_until_now);
  void note_private_files(std::vector<std::string> files) { status_.private_files = std::move(files); }

  // Commands of its sandbox left something while it ran.
  void add(const std::vector<Violation>& violations);

  // For the watchdog; nothing when there is nothing to watch (any more).
  std::optional<SessionWatch::Command> watched();
  // Before it starts: how much its disk has left. A fast one fills it before the first look.
  void note_disk(const std::string& workspace);

  // Called at the next output, end, or going, whichever is first; dropped with the list entry.
  struct Waiter {
    std::pair<int64_t, int64_t> key;  // the connection that asked, and its number for it
    std::function<void()> call;
    Loop::Timer deadline;
  };
  std::list<Waiter>& waiters() { return waiters_; }

  // A reader that wants every byte: while it is far behind, the job's output is not read, and the command waits as it
  // would at the end of a full pipe. Who holds is known by connection and a number of its own.
  using Holder = std::pair<int64_t, int64_t>;
  void hold(Holder holder, uint64_t offset);
  void release(Holder holder);
  void release_all(int64_t connection);

  // Writes output and status to the job's folder: no gateway is there to take them.
  void store();
  // Somebody knows how it ended.
  void note_told() { status_.told = true; }
  // Nobody wants it any more: its folder may be gone already and is not made again.
  void forget() { forgotten_ = true; }

 private:
  enum class State { starting, running, ended, gone };
  // How the command itself ended.
  struct Ending {
    int wait_status = 0;
    int leftovers = 0;
    ClockReading when;
  };

  Result<UniqueFd> make_input(Launcher& launcher, UniqueFd& slave);
  Result<UniqueFd> make_output(Launcher& launcher, UniqueFd& slave);
  void hear_supervisor();
  void take_report(const CommandReport& report);
  void become_started(pid_t command);
  void end_when_judged(int wait_status, int leftovers);
  void go_when_judged();
  void become_ended(const Ending& end);
  void become_gone();
  void watch_output();
  bool held_back() const;
  void read_on();
  // Reads what is there, at most about `most` bytes; true when there was any.
  bool read_output(size_t most);
  // The bytes that are in the pipe now.
  uint64_t waiting_output() const;
  void read_waiting_output();
  void wake_waiters();
  void give_status(const Answer& answer) const;
  void send_end(Clock::duration grace);

  Loop& loop_;
  std::string folder_;
  JobOrder order_;
  Events events_;
  State state_ = State::starting;
  JobStatus status_;
  JobOutput output_;
  EndReason ending_ = EndReason::none;
  std::optional<Ending> unjudged_;  // it has ended, and what it left is being looked at
  bool going_ = false;              // nothing of it is left, and that is not said yet
  Clock::duration ending_grace_{};
  std::list<Answer> end_answers_;
  std::list<Waiter> waiters_;
  std::map<Holder, uint64_t> holders_;

  bool may_run_ = false;
  UniqueFd control_;
  UniqueFd output_fd_;  // the pipe's read end or the terminal's master
  bool output_over_ = false;
  SessionWatch::Command watched_;
  bool forgotten_ = false;
  uint64_t tried_before_ = 0;
  bool in_company_ = false;
  std::optional<StdinPump> stdin_;
  Loop::Timer timeout_;
  Loop::Timer to_disk_;
  Loop::Timer rewatch_;  // the kernel did not let us watch the output
  Loop::Watch control_watch_;
  Loop::Watch output_watch_;
};

}  // namespace talaria
