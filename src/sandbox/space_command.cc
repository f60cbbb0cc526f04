#include "sandbox/space_command.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "os/file.h"
#include "os/socket.h"
#include "sandbox/command_proc.h"
#include "sandbox/space_confine.h"

namespace talaria {
namespace {

constexpr auto kill_round = 10ms;  // between two rounds of SIGKILL: what forked meanwhile is caught by the next

// Out of the way of each other; the ruleset is needed when they are in their places.
Result<std::vector<PlacedFd>> place_above(std::vector<NumberedFd>& fds, UniqueFd& ruleset) {
  if (fds.empty()) return std::vector<PlacedFd>();
  TRY(lift(ruleset));
  return lift(fds);
}

// Everyone but us, in our own /proc.
int count_others() {
  Result<std::vector<std::string>> names = list_directory("/proc");
  if (!names) return 1;
  const auto is_process = [](const std::string& name) { return std::isdigit(static_cast<unsigned char>(name[0])); };
  return std::max(0, static_cast<int>(std::ranges::count_if(*names, is_process)) - 1);
}

class CommandInit {
 public:
  explicit CommandInit(UniqueFd control) : control_(std::move(control)) {}

  void start(const CommandOrder& order, CommandStreams streams);
  enum class Side { init, command };
  Side fork(const CommandOrder& order, CommandStreams streams);
  [[noreturn]] void run();

 private:
  // All that is made before the command's own process.
  struct Prepared {
    UniqueFd ruleset;
    std::vector<PlacedFd> further;
    std::vector<char*> argv, environment;
    ConfineView view;
  };
  Prepared prepare(const CommandOrder& order, CommandStreams& streams);
  std::pair<UniqueFd, UniqueFd> failure_pipe();
  void begin(const CommandOrder& order, const ConfineFailure& failure, int32_t warm);
  void report(const CommandReport& report, pid_t about) const;
  [[noreturn]] void give_up(SpaceStep step, int number, std::string_view detail) const;
  void join(const UniqueFd& cgroup) const;
  void watch_children();
  void wait_to_begin() const;
  void reap();
  void take_signal();
  void end_all(Clock::duration grace);
  void kill_if_due();
  int poll_timeout() const;

  UniqueFd control_;
  UniqueFd children_;
  pid_t command_ = 0;
  bool ended_ = false;
  uint64_t written_ = 0;                      // by those we reaped
  uint64_t told_ = 0;                         // of that
  std::optional<Clock::time_point> kill_at_;  // set while ending: when the next round of SIGKILL is due
};

// The kernel translates the pid in the credentials into the receiver's own numbers.
void CommandInit::report(const CommandReport& report, pid_t about) const {
  iovec part{const_cast<CommandReport*>(&report), sizeof report};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_CREDENTIALS;
  header->cmsg_len = CMSG_LEN(sizeof(ucred));
  const ucred credentials{about, ::getuid(), ::getgid()};
  std::memcpy(CMSG_DATA(header), &credentials, sizeof credentials);
  (void)!::sendmsg(control_.get(), &message, MSG_NOSIGNAL);
}

void CommandInit::give_up(SpaceStep step, int number, std::string_view detail) const {
  CommandReport failure{.kind = CommandReport::Kind::failed, .value = static_cast<int32_t>(step), .other = number};
  detail.copy(failure.detail, sizeof failure.detail - 1);
  report(failure, ::getpid());
  ::_exit(0);
}

// The kernel asks whether the one who opened the file may move us, not whether we may.
void CommandInit::join(const UniqueFd& cgroup) const {
  if (cgroup && ::write(cgroup.get(), "0", 1) != 1) give_up(SpaceStep::limits, errno, "join the command's cgroup");
}

void CommandInit::watch_children() {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  children_ = UniqueFd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
}

CommandInit::Prepared CommandInit::prepare(const CommandOrder& order, CommandStreams& streams) {
  join(std::exchange(streams.cgroup, {}));
  watch_children();
  Result<> proc = build_command_proc();
  if (!proc) give_up(SpaceStep::mounts, proc.error().number(), proc.error().message());
  Result<UniqueFd> ruleset = make_order_ruleset(order);
  if (!ruleset) give_up(SpaceStep::landlock, ruleset.error().number(), ruleset.error().message());
  Result<std::vector<PlacedFd>> further = place_above(streams.further, *ruleset);
  if (!further) give_up(SpaceStep::streams, further.error().number(), further.error().message());

  Prepared prepared{
      *std::move(ruleset), *std::move(further), pointers_to(order.argv), pointers_to(order.environment), {}};
  ConfineView& view = prepared.view = confinement_of(order, prepared.ruleset);
  view.argv = prepared.argv.data();
  view.environment = prepared.environment.data();
  view.streams[0] = streams.input.get();
  view.streams[1] = streams.output.get();
  view.streams[2] = streams.errors.get();
  view.further = prepared.further;
  view.terminal = order.terminal;
  if (order.waits) wait_to_begin();
  return prepared;
}

// Everything is ready but the command's own process. Who ends it before has only to close the socket.
void CommandInit::wait_to_begin() const {
  CommandSignal order{};
  while (order.kind != CommandSignal::Kind::go) {
    const ssize_t count = ::recv(control_.get(), &order, sizeof order, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count != static_cast<ssize_t>(sizeof order)) ::_exit(0);
  }
}

void CommandInit::start(const CommandOrder& order, CommandStreams streams) {
  const Prepared prepared = prepare(order, streams);
  // vfork: no page tables to copy, and a failed step comes back through the memory both share.
  volatile ConfineFailure failure{SpaceStep::clone, 0};
  command_ = ::vfork();
  if (command_ == 0) {
    const ConfineFailure why = become_confined(prepared.view);
    failure.step = why.step;
    failure.number = why.number;
    ::_exit(127);
  }
  if (command_ < 0) failure.number = errno;
  begin(order, {failure.step, failure.number}, 0);
}

// Above the numbers of further descriptors, as is all that we hold when the command is a fork of us: none of it is
// overwritten, and in the command each goes with its owner.
std::pair<UniqueFd, UniqueFd> CommandInit::failure_pipe() {
  Result<std::pair<UniqueFd, UniqueFd>> pipe = make_pipe();
  for (UniqueFd* fd : {&control_, &children_, pipe ? &pipe->first : nullptr, pipe ? &pipe->second : nullptr}) {
    const Result<> lifted = fd ? lift(*fd) : pipe.error();
    if (!lifted) give_up(SpaceStep::streams, lifted.error().number(), lifted.error().message());
  }
  return *std::move(pipe);
}

CommandInit::Side CommandInit::fork(const CommandOrder& order, CommandStreams streams) {
  for (UniqueFd* fd : {&streams.input, &streams.output, &streams.errors}) {
    if (const Result<> lifted = lift(*fd); !lifted) give_up(SpaceStep::streams, lifted.error().number(), "");
  }
  Prepared prepared = prepare(order, streams);
  auto [reading, writing] = failure_pipe();
  ConfineFailure failure{SpaceStep::clone, 0};
  command_ = ::fork();
  if (command_ == 0) {
    failure = become_confined_fork(prepared.view);
    if (failure.number == 0) return Side::command;  // which closes the pipe
    (void)!::write(writing.get(), &failure, sizeof failure);
    ::_exit(127);
  }
  if (command_ < 0) failure.number = errno;
  writing.reset();
  if (command_ > 0) (void)!::read(reading.get(), &failure, sizeof failure);
  begin(order, failure, 1);
  return Side::init;
}

// The command's process is made, or gave up.
void CommandInit::begin(const CommandOrder& order, const ConfineFailure& failure, int32_t warm) {
  const SpaceStep step = failure.step;
  if (failure.number != 0) give_up(step, failure.number, step == SpaceStep::cwd ? order.cwd : order.argv[0]);
  report({.kind = CommandReport::Kind::started, .other = warm}, command_);
  if (!order.keeps_capabilities) (void)drop_capabilities();  // nothing below needs any
}

// Everything that ended, down to the last orphan. When nothing is left this process is done.
void CommandInit::reap() {
  signalfd_siginfo drained;
  while (::read(children_.get(), &drained, sizeof drained) > 0) {
  }
  std::optional<int> status_of_command;
  pid_t pid;
  int status;
  rusage used;
  while ((pid = ::wait4(-1, &status, WNOHANG, &used)) > 0) {
    written_ += static_cast<uint64_t>(used.ru_oublock) * 512;  // with all that it reaped itself
    if (pid == command_ && !ended_) status_of_command = status;
  }
  const bool alone = pid < 0;
  if (status_of_command) {
    ended_ = true;
    told_ = written_;
    report({.kind = CommandReport::Kind::ended,
            .value = *status_of_command,
            .other = alone ? 0 : std::max(1, count_others()),  // one may hide from /proc, not from waitpid
            .written = written_},
           ::getpid());
  } else if (written_ >= told_ + CommandReport::wrote_step) {
    told_ = written_;
    report({.kind = CommandReport::Kind::wrote, .written = written_}, ::getpid());
  }
  if (alone) ::_exit(0);
}

void CommandInit::take_signal() {
  CommandSignal order;
  const ssize_t count = ::recv(control_.get(), &order, sizeof order, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count != static_cast<ssize_t>(sizeof order)) ::_exit(0);  // nobody is there: the kernel ends the namespace
  switch (order.kind) {
    case CommandSignal::Kind::signal: ::kill(-1, order.value); break;  // everyone but the first process
    case CommandSignal::Kind::end: end_all(std::chrono::milliseconds(order.value)); break;
    case CommandSignal::Kind::go: break;
  }
}

void CommandInit::end_all(Clock::duration grace) {
  if (grace > 0ms) {
    ::kill(-1, SIGTERM);
    ::kill(-1, SIGCONT);  // a stopped process must run to see its SIGTERM
  }
  const auto due = Clock::now() + grace;
  if (!kill_at_ || due < *kill_at_) kill_at_ = due;
}

void CommandInit::kill_if_due() {
  if (!kill_at_ || Clock::now() < *kill_at_) return;
  ::kill(-1, SIGKILL);
  kill_at_ = Clock::now() + kill_round;
}

int CommandInit::poll_timeout() const {
  if (!kill_at_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*kill_at_ - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

void CommandInit::run() {
  reap();  // it may have ended before we looked
  while (true) {
    pollfd watched[] = {{children_.get(), POLLIN, 0}, {control_.get(), POLLIN, 0}};
    const int ready = ::poll(watched, 2, poll_timeout());
    if (ready > 0 && watched[1].revents) take_signal();
    kill_if_due();
    reap();
  }
}

}  // namespace

Result<CommandStreams> streams_of(const CommandOrder& order, std::vector<UniqueFd>& fds) {
  const size_t before_further = order.has_cgroup ? 5 : 4;
  if (fds.size() != before_further + order.numbers.size()) return invalid("an order's descriptors are not all there");
  CommandStreams streams{std::move(fds[1]), std::move(fds[2]), std::move(fds[3])};
  if (order.has_cgroup) streams.cgroup = std::move(fds[4]);
  for (size_t i = 0; i < order.numbers.size(); ++i) {
    streams.further.push_back({order.numbers[i], std::move(fds[before_further + i])});
  }
  return streams;
}

void run_command(const CommandOrder& order, UniqueFd control, CommandStreams streams) {
  ::prctl(PR_SET_NAME, "talaria-init");
  CommandInit init(std::move(control));
  init.start(order, std::move(streams));
  init.run();
}

void fork_command(const CommandOrder& order, UniqueFd control, CommandStreams streams) {
  ::prctl(PR_SET_NAME, "talaria-init");
  {
    CommandInit init(std::move(control));
    if (init.fork(order, std::move(streams)) == CommandInit::Side::init) init.run();
  }
  if (close_all_but(order.numbers) != 0) ::_exit(127);
}

Result<> prepare_control(int control) {
  const int yes = 1;
  if (::setsockopt(control, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) == 0) return ok;
  return Error::from_errno("SO_PASSCRED");
}

Result<CommandReport> receive_report(int control, int flags) {
  CommandReport report;
  iovec part{&report, sizeof report};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(ucred))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t count;
  // One that ended before it read what we sent resets the connection. That is told first and once; what it said itself
  // comes after it.
  while ((count = ::recvmsg(control, &message, MSG_CMSG_CLOEXEC | flags)) < 0 &&
         (errno == EINTR || errno == ECONNRESET)) {
  }
  if (count < 0) return Error::from_errno("wait for a sandboxed command");
  if (count != static_cast<ssize_t>(sizeof report)) return Error(ErrorCode::unavailable, "the sandbox is gone");
  report.detail[sizeof report.detail - 1] = 0;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_CREDENTIALS) {
    ucred credentials;
    std::memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
    (report.kind == CommandReport::Kind::started ? report.value : report.sender) = credentials.pid;
  }
  return report;
}

void drop_report(int control) {
  while (::recv(control, nullptr, 0, MSG_DONTWAIT) < 0 && (errno == EINTR || errno == ECONNRESET)) {
  }
}

}  // namespace talaria
