#include "sandbox/warm_server.h"

#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "os/file.h"
#include "os/socket.h"
#include "sandbox/space_command.h"
#include "sandbox/warm_base.h"

namespace talaria {
namespace {

class WarmServer {
 public:
  WarmServer(UniqueFd socket, const ForkHooks& hooks) : socket_(std::move(socket)), hooks_(hooks) {}

  Result<> prepare();
  // In a command: its order.
  CommandOrder serve();

 private:
  struct Received {
    std::string order;
    std::vector<UniqueFd> fds;
  };
  bool receive(char* buffer, size_t length, std::vector<UniqueFd>& fds) const;
  Received next();
  void answer(char word) const { (void)!::send(socket_.get(), &word, 1, MSG_NOSIGNAL); }
  void reap() const;
  void become_command(const CommandOrder& order, std::vector<UniqueFd>& fds);

  UniqueFd socket_;
  UniqueFd children_;
  ForkHooks hooks_;
  rlimit core_{};  // as it was, and as commands get it
};

void call(void (*hook)()) {
  if (hook) hook();
}

// Nobody looks into the memory of one that may do more than a command: no core dump, no /proc/*/mem.
Result<> WarmServer::prepare() {
  const std::vector<std::string> threads = TRY(list_directory("/proc/self/task"));
  if (threads.size() != 1) return Error(ErrorCode::conflict, "a program with threads cannot be forked from");
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) return Error::from_errno("become undumpable");
  if (::getrlimit(RLIMIT_CORE, &core_) != 0) return Error::from_errno("read the limit of core dumps");
  const rlimit none{0, core_.rlim_max};
  if (::setrlimit(RLIMIT_CORE, &none) != 0) return Error::from_errno("limit core dumps");
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  children_ = UniqueFd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!children_) return Error::from_errno("watch for children");
  return ok;
}

bool WarmServer::receive(char* buffer, size_t length, std::vector<UniqueFd>& fds) const {
  while (length > 0) {
    Result<talaria::Received> received = receive_some(socket_.get(), buffer, length);
    if (!received || received->closed) return false;
    for (UniqueFd& fd : received->fds) fds.push_back(std::move(fd));
    buffer += received->count;
    length -= received->count;
  }
  return true;
}

void WarmServer::reap() const {
  signalfd_siginfo drained;
  while (::read(children_.get(), &drained, sizeof drained) > 0) {
  }
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

WarmServer::Received WarmServer::next() {
  while (true) {
    pollfd watched[] = {{children_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}};
    if (::poll(watched, 2, -1) <= 0) continue;
    if (watched[0].revents) reap();
    if (!watched[1].revents) continue;
    WarmRequest request{};
    Received received;
    if (!receive(reinterpret_cast<char*>(&request), sizeof request, received.fds)) ::_exit(0);
    if (request.length > WarmRequest::longest) ::_exit(1);
    received.order.resize(request.length);
    if (!receive(received.order.data(), received.order.size(), received.fds)) ::_exit(0);
    return received;
  }
}

// In the first process of the command's namespaces. Returns in the command.
void WarmServer::become_command(const CommandOrder& order, std::vector<UniqueFd>& fds) {
  OrderClaim claim(std::move(fds[0]));
  if (!claim.take()) ::_exit(0);  // too late: another runs it
  fds.erase(fds.begin());
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2}) ::signal(signal, SIG_IGN);
  ::setrlimit(RLIMIT_CORE, &core_);
  socket_.reset();
  children_.reset();
  std::vector<int> kept;
  for (const UniqueFd& fd : fds) kept.push_back(fd.get());
  close_all_but(std::move(kept));
  Result<CommandStreams> streams = streams_of(order, fds);
  if (!streams) ::_exit(1);  // it was looked at before the fork
  UniqueFd control = std::move(fds[0]);
  fds.clear();
  fork_command(order, std::move(control), *std::move(streams));
}

bool is_whole(const CommandOrder& order, const std::vector<UniqueFd>& fds) {
  return fds.size() == 1 + 4 + (order.has_cgroup ? 1 : 0) + order.numbers.size();
}

CommandOrder WarmServer::serve() {
  answer(WarmRequest::ready);
  while (true) {
    Received received = next();
    Result<CommandOrder> order = decode_command_order(received.order);
    if (!order || !is_whole(*order, received.fds)) {
      answer(WarmRequest::refused);
      continue;
    }
    call(hooks_.before);
    clone_args arguments{};
    arguments.flags = CLONE_NEWPID | CLONE_NEWNS;
    arguments.exit_signal = SIGCHLD;
    const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    if (pid == 0) {
      become_command(*order, received.fds);
      call(hooks_.in_child);
      return *std::move(order);
    }
    answer(pid > 0 ? WarmRequest::forked : WarmRequest::refused);
    call(hooks_.in_parent);
  }
}

}  // namespace

Result<CommandOrder> serve_as_warm_base(UniqueFd socket, const ForkHooks& hooks) {
  WarmServer server(std::move(socket), hooks);
  TRY(server.prepare());
  return server.serve();
}

}  // namespace talaria
