#include "sandbox/warm_base.h"

#include <linux/capability.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "os/socket.h"
#include "sandbox/pinned_path.h"
#include "sandbox/space_confine.h"

namespace talaria {
namespace {

constexpr auto patience = 1s;

// To make a pid and a mount namespace with a /proc, and to give up what it has for good.
constexpr std::array needed_capabilities = {CAP_SYS_ADMIN, CAP_SETPCAP};

bool is_needed(int capability) {
  return std::ranges::find(needed_capabilities, capability) != needed_capabilities.end();
}

// Keeps across exec what is needed and nothing else, whoever the user is.
bool narrow_capabilities() {
  for (int capability = 0; capability < 64; ++capability) {
    if (is_needed(capability) || ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break;  // the last one the kernel knows was the one before
    return false;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  for (const int capability : needed_capabilities) data[capability / 32].permitted |= 1U << (capability % 32);
  for (__user_cap_data_struct& half : data) half.effective = half.inheritable = half.permitted;
  if (::syscall(SYS_capset, &header, data) != 0) return false;
  return std::ranges::all_of(needed_capabilities, [](int capability) {
    return ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0;
  });
}

// Whoever named it may have been told lies, or the truth of a moment ago: this is looked at here and now, by one who
// sees what will be executed. Where commands have all powers themselves there is none to be had.
bool may_be_base(const WarmOrder& order, Powers powers, const MountIds& loose) {
  if (powers == Powers::all) return true;
  return require_pinned_program(order.argv, loose) && std::ranges::all_of(order.pinned, [&](const std::string& path) {
           return static_cast<bool>(require_pinned(path, loose));
         });
}

// In the child: the program, with its socket on 3 and /dev/null on what is below, as in the holder. By its path, from
// which an interpreter finds its library: nobody in the session can have exchanged what was looked at.
void become_base(const WarmOrder& order, int socket, Powers powers, const MountIds& loose) {
  if (::setsid() < 0 || ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || default_signals() != 0) return;
  if (!may_be_base(order, powers, loose)) return;
  if (powers == Powers::of_a_namespace && !narrow_capabilities()) return;
  if (::dup2(socket, 3) < 0 || ::close_range(4, ~0U, 0) != 0 || ::chdir("/") != 0) return;
  const std::vector<char*> argv = pointers_to(order.argv), environment = pointers_to(order.environment);
  ::execve(argv[0], argv.data(), environment.data());
}

// True when the socket is ready for `events` before the deadline.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd watched{socket, events, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool send_all(int socket, std::string_view message, std::vector<int> fds, Clock::time_point deadline) {
  while (!message.empty()) {
    const Result<size_t> sent = send_some(socket, message, fds);
    if (!sent) return false;
    message.remove_prefix(*sent);
    if (*sent > 0) fds.clear();
    else if (!wait_for(socket, POLLOUT, deadline)) return false;
  }
  return true;
}

}  // namespace

Result<OrderClaim> OrderClaim::make() {
  UniqueFd fd(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd) return Error::from_errno("make the claim of an order");
  return OrderClaim(std::move(fd));
}

bool OrderClaim::take() {
  uint64_t one = 0;
  return ::read(fd_.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one);
}

WarmBase::WarmBase(std::string id, UniqueFd process, UniqueFd socket)
    : id_(std::move(id)), process_(std::move(process)), socket_(std::move(socket)) {}

WarmBase::WarmBase(WarmBase&& other) noexcept = default;

WarmBase& WarmBase::operator=(WarmBase&& other) noexcept {
  if (this == &other) return *this;
  end();
  id_ = std::move(other.id_);
  process_ = std::move(other.process_);
  socket_ = std::move(other.socket_);
  ready_ = other.ready_;
  stuck_ = other.stuck_;
  return *this;
}

WarmBase::~WarmBase() { end(); }

void WarmBase::end() {
  if (process_) ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  let_go();
}

void WarmBase::let_go() {
  process_.reset();
  socket_.reset();
}

Result<WarmBase> WarmBase::start(const WarmOrder& order, Powers powers, const MountIds& loose) {
  auto [mine, theirs] = TRY(socket_pair(SOCK_STREAM));
  TRY(set_nonblocking(mine.get()));
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno("fork the warm base");
  if (pid == 0) {
    become_base(order, theirs.get(), powers, loose);
    ::_exit(127);  // the end of its socket says so
  }
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) {
    const Error why = Error::from_errno("open the warm base's process");
    ::kill(pid, SIGKILL);  // nobody has reaped it
    return why;
  }
  return WarmBase(order.id, std::move(process), std::move(mine));
}

bool WarmBase::hear() {
  char word;
  const ssize_t count = ::recv(socket_.get(), &word, 1, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count != 1 || word != WarmRequest::ready || ready_) return false;
  ready_ = true;
  return true;
}

WarmBase::Taken WarmBase::hand_over(std::string_view order, const std::vector<UniqueFd>& fds) {
  Result<OrderClaim> claim = OrderClaim::make();
  if (!claim || order.size() > WarmRequest::longest) return Taken::no;
  const auto deadline = Clock::now() + patience;
  const WarmRequest request{static_cast<uint32_t>(order.size())};
  std::string message(reinterpret_cast<const char*>(&request), sizeof request);
  message += order;
  std::vector<int> passed = {claim->fd()};
  for (const UniqueFd& fd : fds) passed.push_back(fd.get());
  char answer = 0;
  if (send_all(socket_.get(), message, std::move(passed), deadline) && wait_for(socket_.get(), POLLIN, deadline)) {
    if (::recv(socket_.get(), &answer, 1, 0) == 1 && answer == WarmRequest::forked) return Taken::yes;
  }
  if (answer == WarmRequest::refused) return Taken::no;
  stuck_ = true;
  // It may run the order nevertheless, if it got so far before we lost our patience.
  return claim->take() ? Taken::no : Taken::yes;
}

}  // namespace talaria
