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
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

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
  // An order as it came, with the secrets of its environment: it is in this one place only, to be wiped when the fork
  // that runs it has its copy. The next one is a fork of us, too.
  class Bytes {
   public:
    explicit Bytes(size_t size) : data_(std::make_unique_for_overwrite<char[]>(size)), size_(size) {}
    Bytes(Bytes&& other) noexcept = default;
    Bytes& operator=(Bytes&& other) = delete;
    ~Bytes() {
      if (data_) ::explicit_bzero(data_.get(), size_);
    }
    char* data() { return data_.get(); }
    std::string_view text() const { return {data_.get(), size_}; }

   private:
    std::unique_ptr<char[]> data_;
    size_t size_;
  };
  struct Received {
    Bytes order;
    std::vector<UniqueFd> fds;
  };
  bool receive(char* buffer, size_t length, std::vector<UniqueFd>& fds) const;
  Received next();
  void answer(char word) const { (void)!::send(socket_.get(), &word, 1, MSG_NOSIGNAL); }
  void reap() const;
  CommandOrder become_command(Received received);

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
    std::vector<UniqueFd> fds;
    if (!receive(reinterpret_cast<char*>(&request), sizeof request, fds)) ::_exit(0);
    if (request.length > WarmRequest::longest) ::_exit(1);
    Bytes order(request.length);
    if (!receive(order.data(), request.length, fds)) ::_exit(0);
    return {std::move(order), std::move(fds)};
  }
}

[[noreturn]] void refuse_command(const UniqueFd& control) {
  const CommandReport failure{
      .kind = CommandReport::Kind::failed, .value = static_cast<int32_t>(SpaceStep::clone), .other = EINVAL};
  (void)!::send(control.get(), &failure, sizeof failure, MSG_NOSIGNAL);
  ::_exit(1);
}

// In the first process of the command's namespaces, where nobody minds what the order says: it is the only one that
// this process and its forks will ever know. Returns in the command.
CommandOrder WarmServer::become_command(Received received) {
  std::vector<UniqueFd>& fds = received.fds;
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
  Result<CommandOrder> order = decode_command_order(received.order.text());
  Result<CommandStreams> streams = order ? streams_of(*order, fds) : Result<CommandStreams>(order.error());
  if (!streams) refuse_command(fds[0]);
  UniqueFd control = std::move(fds[0]);
  fds.clear();
  fork_command(*order, std::move(control), *std::move(streams));
  return *std::move(order);
}

CommandOrder WarmServer::serve() {
  answer(WarmRequest::ready);
  while (true) {
    Received received = next();
    if (received.fds.size() < 1 + 4) {  // the claim, and the least that a command has
      answer(WarmRequest::refused);
      continue;
    }
    call(hooks_.before);
    clone_args arguments{};
    arguments.flags = CLONE_NEWPID | CLONE_NEWNS;
    arguments.exit_signal = SIGCHLD;
    const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    if (pid == 0) {
      CommandOrder order = become_command(std::move(received));
      call(hooks_.in_child);
      return order;
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
