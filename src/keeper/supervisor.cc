#include "keeper/supervisor.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "base/clock.h"
#include "keeper/setup.h"
#include "os/proc.h"

namespace talaria {
namespace {

constexpr auto grace_without_keeper = 1s;
constexpr auto kill_round = 10ms;  // between two rounds of SIGKILL: what forked meanwhile is caught by the next

class Supervisor {
 public:
  explicit Supervisor(UniqueFd control) : control_(std::move(control)) {}

  void start(const SpawnView& order, JobStreams streams);
  [[noreturn]] void run();

 private:
  void report(CommandReport::Kind kind, int32_t value, int32_t other) const;
  void give_up(const SetupFailure& why) const;
  void reap();
  void take_order();
  void end_tree(Clock::duration grace);
  void kill_round_if_due();
  int poll_timeout() const;
  void leave() const { ::_exit(0); }

  UniqueFd control_;
  UniqueFd signals_;
  pid_t command_ = 0;
  bool ended_ = false;
  std::optional<Clock::time_point> kill_at_;  // set while ending: when the next round of SIGKILL is due
};

// By pidfd and with a second look, so that a reused pid is never hit.
void signal_one(pid_t pid, int signal) {
  const UniqueFd target(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!target || !descends_from(pid, ::getpid())) return;
  ::syscall(SYS_pidfd_send_signal, target.get(), signal, nullptr, 0);
}

void signal_tree(int signal) {
  for (pid_t pid : descendants_of(::getpid())) signal_one(pid, signal);
}

int count_living() {
  int living = 0;
  for (pid_t pid : descendants_of(::getpid())) {
    if (state_of(pid).value_or('Z') != 'Z') ++living;
  }
  return living;
}

void Supervisor::start(const SpawnView& order, JobStreams streams) {
  // Terminal and user signals are for the command, never for its supervisor.
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2}) ::signal(signal, SIG_IGN);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  signals_ = UniqueFd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));

  const Result<std::vector<PlacedFd>> further = lift(streams.fds);
  if (!further) give_up({SpaceStep::streams, further.error().number()});

  // vfork: no page tables to copy, and a failed step comes back through the memory both share.
  volatile SetupFailure failure{SpaceStep::clone, 0};
  command_ = ::vfork();
  if (command_ == 0) {
    const SetupFailure why = become_command(order, streams.input.get(), streams.output.get(), *further);
    failure.step = why.step;
    failure.number = why.number;
    ::_exit(127);
  }
  if (command_ < 0) failure.number = errno;
  if (failure.number != 0) give_up({failure.step, failure.number});
  report(CommandReport::Kind::started, command_, 0);
}

void Supervisor::report(CommandReport::Kind kind, int32_t value, int32_t other) const {
  const CommandReport message{.kind = kind, .value = value, .other = other};
  (void)!::send(control_.get(), &message, sizeof message, MSG_NOSIGNAL);
}

void Supervisor::give_up(const SetupFailure& why) const {
  report(CommandReport::Kind::failed, static_cast<int32_t>(why.step), why.number);
  leave();
}

// Everything that ended, down to the last orphan. When nothing is left the supervisor is done.
void Supervisor::reap() {
  signalfd_siginfo drained;
  while (::read(signals_.get(), &drained, sizeof drained) > 0) {
  }
  std::optional<int> status_of_command;
  pid_t pid;
  int status;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid == command_ && !ended_) status_of_command = status;
  }
  const bool alone = pid < 0;
  if (status_of_command) {
    ended_ = true;
    report(CommandReport::Kind::ended, *status_of_command, alone ? 0 : count_living());
  }
  if (alone) leave();
}

void Supervisor::take_order() {
  CommandSignal order;
  const ssize_t count = ::recv(control_.get(), &order, sizeof order, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count != static_cast<ssize_t>(sizeof order)) {  // the keeper is gone
    control_.reset();
    if (!kill_at_) end_tree(grace_without_keeper);
    return;
  }
  switch (order.kind) {
    case CommandSignal::Kind::signal: signal_tree(order.value); break;
    case CommandSignal::Kind::end: end_tree(std::chrono::milliseconds(order.value)); break;
    case CommandSignal::Kind::go: break;
  }
}

void Supervisor::end_tree(Clock::duration grace) {
  if (grace > 0ms) {
    signal_tree(SIGTERM);
    signal_tree(SIGCONT);  // a stopped process must run to see its SIGTERM
  }
  const auto due = Clock::now() + grace;
  if (!kill_at_ || due < *kill_at_) kill_at_ = due;
}

void Supervisor::kill_round_if_due() {
  if (!kill_at_ || Clock::now() < *kill_at_) return;
  signal_tree(SIGKILL);
  kill_at_ = Clock::now() + kill_round;
}

int Supervisor::poll_timeout() const {
  if (!kill_at_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*kill_at_ - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

void Supervisor::run() {
  reap();  // it may have ended before we looked
  while (true) {
    pollfd watched[] = {{signals_.get(), POLLIN, 0}, {control_ ? control_.get() : -1, POLLIN, 0}};
    const int ready = ::poll(watched, 2, poll_timeout());
    if (ready > 0 && watched[1].revents) take_order();
    kill_round_if_due();
    reap();
  }
}

}  // namespace

void supervise(const SpawnView& order, UniqueFd control, JobStreams streams) {
  ::prctl(PR_SET_NAME, "talaria-job");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::setsid();
  Supervisor supervisor(std::move(control));
  supervisor.start(order, std::move(streams));
  supervisor.run();
}

}  // namespace talaria
