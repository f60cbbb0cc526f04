#include "keeper/job.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>

#include "base/out_of_memory.h"
#include "os/boot_clock.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/socket.h"
#include "sandbox/space_command.h"

namespace talaria {
namespace {

constexpr auto young = 100ms;  // output stays in memory this long

}  // namespace

void give(const JobAnswer& answer, const Result<JobStatus>& outcome) {
  try {
    answer(outcome);
  } catch (const std::bad_alloc&) {
    answer(out_of_memory());
  }
}

Job::Job(Loop& loop, std::string folder, JobOrder order, Events events)
    : loop_(loop),
      folder_(folder),
      order_(std::move(order)),
      events_(std::move(events)),
      output_(std::move(folder), order_.max_log_bytes, order_.place) {
  status_.job = order_.job;
  status_.meta = order_.meta;
  const ClockReading now = read_clocks();
  status_.started_ms = now.wall_ms();
  status_.boot = boot_id();
  status_.started_boot_ns = now.boot_ns;
}

Result<> Job::start(Launcher& launcher) {
  UniqueFd slave;
  if (order_.input == JobOrder::Input::terminal) {
    Result<Pty> pty = launcher.terminal(order_.window);
    if (pty) {
      output_fd_ = std::move(pty->master);
      slave = std::move(pty->slave);
      status_.tty = order_.spawn.terminal = true;
    } else {
      status_.warning = "no terminal could be had (" + pty.error().message() + "); running with pipes instead";
      order_.input = JobOrder::Input::pipe;
    }
  }
  UniqueFd input = TRY(make_input(launcher, slave));
  UniqueFd output = TRY(make_output(launcher, slave));
  auto [mine, theirs] = TRY(socket_pair(SOCK_SEQPACKET));
  TRY(set_nonblocking(mine.get()));
  TRY(launcher.prepare(mine.get()));
  control_ = std::move(mine);
  control_watch_ = TRY(loop_.on_readable(control_.get(), [this] { hear_supervisor(); }));
  TRY(launcher.launch(order_.job, order_.spawn, std::move(theirs),
                      {std::move(input), std::move(output), std::move(order_.fds)}));
  if (may_run_) let_run();
  return ok;
}

void Job::let_run() {
  may_run_ = true;
  if (!control_) return;  // start() comes back to it
  const CommandSignal order{CommandSignal::Kind::go, 0};
  (void)!::send(control_.get(), &order, sizeof order, MSG_NOSIGNAL);
}

Result<UniqueFd> Job::make_input(Launcher& launcher, UniqueFd& slave) {
  switch (order_.input) {
    case JobOrder::Input::null: return open_file("/dev/null", O_RDONLY);
    case JobOrder::Input::fd: return std::move(order_.input_fd);
    case JobOrder::Input::pipe: {
      auto [read_end, write_end] = TRY(make_pipe());
      launcher.give(read_end.get());
      stdin_.emplace(loop_, std::move(write_end));
      return std::move(read_end);
    }
    case JobOrder::Input::terminal: {
      stdin_.emplace(loop_, output_fd_.get());
      UniqueFd copy(::fcntl(slave.get(), F_DUPFD_CLOEXEC, 3));
      if (!copy) return Error::from_errno("duplicate the terminal");
      return copy;
    }
  }
  return Error(ErrorCode::invalid_argument, "unknown stdin");
}

Result<UniqueFd> Job::make_output(Launcher& launcher, UniqueFd& slave) {
  if (slave) return std::move(slave);
  auto [read_end, write_end] = TRY(make_pipe());
  launcher.give(write_end.get());
  TRY(set_nonblocking(read_end.get()));
  output_fd_ = std::move(read_end);
  return std::move(write_end);
}

JobStatus Job::status() const {
  JobStatus status = status_;
  status.running = state_ == State::starting || state_ == State::running;
  status.gone = state_ == State::gone;
  status.output_bytes = output_.end();
  const LostRange lost = output_.lost();
  status.lost_begin = lost.begin;
  status.lost_end = lost.end;
  status.stdin_open = stdin_ && stdin_->open();
  if (!output_.disk_error().empty()) {
    if (!status.warning.empty()) status.warning += "; ";
    status.warning += "part of the output was lost: " + output_.disk_error();
  }
  return status;
}

void Job::hear_supervisor() {
  // Looked at, dealt with, and only then taken: what there is no memory to deal with is there when we are called again.
  const Result<CommandReport> report = receive_report(control_.get(), MSG_PEEK);
  if (report) {
    take_report(*report);
    drop_report(control_.get());
    return;
  }
  if (report.error().number() == EAGAIN) return;
  // The supervisor is gone, and with it every process of the job.
  if (state_ == State::starting) {
    events_.on_started(Error(ErrorCode::system, "the job's supervisor died before it could start the command"));
  } else {
    going_ = true;
    if (unjudged_) {
      // judged() goes on from there
    } else if (state_ == State::running) {
      end_when_judged(SIGKILL, 0);  // killed from outside, before it could report
    } else {
      go_when_judged();
    }
  }
  control_watch_ = {};
  control_.reset();
}

void Job::take_report(const CommandReport& report) {
  switch (report.kind) {
    case CommandReport::Kind::started: status_.warm = report.other == 1; return become_started(report.value);
    case CommandReport::Kind::ended:
      watched_.init = report.sender;
      watched_.written = report.written;
      return end_when_judged(report.value, report.other);
    case CommandReport::Kind::wrote: watched_.written = report.written; return;
    case CommandReport::Kind::failed: {
      const auto step = static_cast<SpaceStep>(report.value);
      const std::string what = step == SpaceStep::cwd    ? order_.spawn.cwd
                               : step == SpaceStep::exec ? order_.spawn.argv.at(0)
                               : *report.detail          ? report.detail
                                                         : "the command";
      events_.on_started(Error::from_number(report.other, "step " + std::string(name_of(step)) + ": " + what));
      control_watch_ = {};
      return;
    }
  }
}

void Job::become_started(pid_t command) {
  state_ = State::running;
  status_.pid = command;
  if (!output_watch_) watch_output();
  to_disk_ = loop_.after(young, [this] { output_.spill(); });
  if (order_.timeout > 0ms) {
    timeout_ = loop_.after(order_.timeout, [this] { end(order_.grace, EndReason::timeout, {}); });
  }
  if (ending_ != EndReason::none) send_end(ending_grace_);  // asked for while it started
  // The environment and argv are the child's now.
  order_.spawn.environment = {};
  events_.on_started(status());
}

Result<std::vector<UniqueFd>> Job::kept() const {
  std::vector<UniqueFd> copies;
  for (const UniqueFd& fd : order_.kept) {
    copies.emplace_back(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
    if (!copies.back()) return Error::from_errno("duplicate a kept descriptor");
  }
  return copies;
}

bool Job::lives() const {
  if (unjudged_) return unjudged_->leftovers > 0 && !going_;
  return !going_ && state_ != State::gone && (state_ != State::ended || status_.leftovers > 0);
}

void Job::end_when_judged(int wait_status, int leftovers) {
  if (ending_ == EndReason::none) timeout_ = {};
  unjudged_ = {wait_status, leftovers, read_clocks()};
  if (!events_.judge(*this)) judged();
}

// What its last processes did is looked at once more.
void Job::go_when_judged() {
  if (status_.leftovers == 0 || !events_.judge(*this)) judged();
}

void Job::judged() {
  if (const std::optional<Ending> end = std::exchange(unjudged_, std::nullopt)) {
    become_ended(*end);
    if (going_) go_when_judged();
  } else if (std::exchange(going_, false)) {
    become_gone();
  }
}

void Job::become_ended(const Ending& end) {
  state_ = State::ended;
  status_.ended_ms = end.when.wall_ms();
  status_.ended_boot_ns = end.when.boot_ns;
  status_.leftovers = end.leftovers;
  if (WIFSIGNALED(end.wait_status)) status_.exit_signal = WTERMSIG(end.wait_status);
  else status_.exit_code = WEXITSTATUS(end.wait_status);
  status_.reason = ending_ == EndReason::none ? EndReason::exit : ending_;
  read_waiting_output();  // all the command itself printed is in the pipe by now
  events_.on_ended(*this);
  wake_waiters();
}

void Job::become_gone() {
  read_waiting_output();
  state_ = State::gone;
  output_watch_ = {};
  rewatch_ = {};
  to_disk_ = {};
  timeout_ = {};
  if (stdin_) stdin_->close();
  order_.kept.clear();
  // Who asked for its end is about to hear of it, and it must stay so whatever is killed next.
  if (output_.on_disk() || status_.leftovers > 0 || !end_answers_.empty()) store();
  std::list<Answer> answers;
  answers.swap(end_answers_);
  for (const Answer& answer : answers) give_status(answer);
  wake_waiters();
  output_fd_.reset();
  events_.on_gone(*this);
}

void Job::wake_waiters() {
  std::list<Waiter> waiters;
  waiters.swap(waiters_);
  for (Waiter& waiter : waiters) waiter.call();
}

void Job::write(std::string data, bool eof, const std::optional<StdinPosition>& position, Answer answer) {
  if (!stdin_) return answer(Error(ErrorCode::conflict, "stdin is closed: the job was started without one"));
  if (state_ == State::gone && !position)
    return answer(Error(ErrorCode::conflict, "stdin is closed: the job has ended"));
  stdin_->write(std::move(data), eof, position, [this, answer](Result<> done) {
    if (done) give_status(answer);
    else answer(done.error());
  });
}

void Job::give_status(const Answer& answer) const {
  try {
    answer(status());
  } catch (const std::bad_alloc&) {
    answer(out_of_memory());
  }
}

Result<JobStatus> Job::resize(WindowSize size) {
  if (!status_.tty || !output_fd_) return Error(ErrorCode::conflict, "the job has no terminal");
  TRY(resize_pty(output_fd_.get(), size));
  return status();
}

Result<JobStatus> Job::signal(int signal) {
  if (state_ == State::gone || going_) return Error(ErrorCode::conflict, "the job has ended");
  const CommandSignal order{CommandSignal::Kind::signal, signal};
  if (::send(control_.get(), &order, sizeof order, MSG_NOSIGNAL) < 0) return Error::from_errno("signal the job");
  return status();
}

void Job::end(Clock::duration grace, EndReason reason, Answer answer) {
  if (state_ == State::gone) {
    if (answer) answer(status());
    return;
  }
  if (answer) end_answers_.push_back(std::move(answer));
  if (ending_ == EndReason::none) ending_ = reason;
  timeout_ = {};
  ending_grace_ = grace;
  if (state_ != State::starting) send_end(grace);
}

void Job::send_end(Clock::duration grace) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(grace).count();
  const CommandSignal order{CommandSignal::Kind::end, static_cast<int32_t>(milliseconds)};
  (void)!::send(control_.get(), &order, sizeof order, MSG_NOSIGNAL);
}

void Job::never_started(const Error& why) {
  std::list<Answer> answers;
  answers.swap(end_answers_);
  for (const Answer& answer : answers) give(answer, why);
}

void Job::blame(LimitStop why) {
  status_.stopped_by = std::move(why);
  status_.reason = EndReason::limit;
}

void Job::judge_network(uint64_t tried_until_now) {
  if (tried_until_now <= tried_before_) return;
  status_.network_tried = in_company_ ? NetworkTried::shared : NetworkTried::itself;
}

void Job::add(const std::vector<Violation>& violations) { add_violations(status_.violations, violations); }

void Job::stop(LimitStop why) {
  status_.stopped_by = std::move(why);
  end(0ms, EndReason::limit, {});
}

std::optional<SessionWatch::Command> Job::watched() {
  const bool over = state_ == State::starting || state_ == State::gone || ending_ != EndReason::none;
  // While the command runs its parent is the init; the report of its end names the init, too.
  if (watched_.init <= 0 && state_ == State::running) watched_.init = parent_of(status_.pid).value_or(0);
  if (over || watched_.init <= 0) return std::nullopt;
  return watched_;
}

void Job::note_disk(const std::string& workspace) {
  const std::optional<DiskSample> disk = look_at_disk(workspace);
  watched_.free_at_start = disk ? disk->free_bytes : 0;
  watched_.files_at_start = disk ? disk->files : 0;
}

void Job::store() {
  if (order_.place == JobOutput::Place::memory || forgotten_) return;
  output_.spill();
  if (!make_directories(folder_)) return;
  const std::string meta = write_json(to_json(status()));
  (void)write_file_atomically(folder_ + "/meta.json", meta, 0600, Durable::no);
}

}  // namespace talaria
