#include "sandbox/space_holder.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <optional>

#include "os/file.h"
#include "os/socket.h"
#include "sandbox/file_server.h"
#include "sandbox/mounts.h"
#include "sandbox/network.h"
#include "sandbox/numbered_fd.h"
#include "sandbox/refused_routes.h"
#include "sandbox/segments.h"
#include "sandbox/shown_mounts.h"
#include "sandbox/view_build.h"
#include "sandbox/warm_base.h"

namespace talaria {
namespace {

// Who starts us as root writes our maps; an ordinary user may map itself.
Result<> take_identity(const Identity& identity, const UniqueFd& mapped) {
  if (!identity.user_namespace) return ok;
  if (mapped) {
    char go;
    if (::read(mapped.get(), &go, 1) != 1) return Error(ErrorCode::unavailable, "nobody wrote the id maps");
    if (::setgroups(0, nullptr) != 0) return Error::from_errno("leave all groups");
  } else {
    // Of one that is not dumpable /proc/self belongs to root; we are again, once we know who we are.
    if (::prctl(PR_SET_DUMPABLE, 1) != 0) return Error::from_errno("become dumpable");
    TRY(write_id_maps("self", identity.uid, identity.gid, true));
  }
  if (::setresgid(identity.gid, identity.gid, identity.gid) != 0) return Error::from_errno("take the group id");
  if (::setresuid(identity.uid, identity.uid, identity.uid) != 0) return Error::from_errno("take the user id");
  return ok;
}

// What the kernel counts for each user is counted for the owner of the namespace too: a sandbox must not take it all.
void share_fairly() {
  const UniqueFd instances(::open("/proc/sys/user/max_inotify_instances", O_WRONLY | O_CLOEXEC));
  if (instances) (void)!::write(instances.get(), "64", 2);
}

// After the last change of ids, which clears both.
Result<> guard_ourselves() {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return Error::from_errno("ask for the parent's death signal");
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) return Error::from_errno("become undumpable");
  return ok;
}

// 0, 1 and 2 on the view's /dev/null, the socket on 3, nothing else open but those, above the numbers of streams.
Result<> keep_only(UniqueFd& socket, const std::vector<UniqueFd*>& others) {
  std::vector<int> fds = {3};
  for (UniqueFd* other : others) {
    TRY(lift(*other));
    fds.push_back(other->get());
  }
  UniqueFd kept(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 4));  // 3 may be anything now
  if (!kept) return Error::from_errno("keep the socket");
  socket.reset();
  {
    const UniqueFd null = TRY(open_file("/dev/null", O_RDWR));
    for (int fd = 0; fd < 3; ++fd) {
      if (::dup2(null.get(), fd) < 0) return Error::from_errno("open the standard streams");
    }
  }
  if (::dup3(kept.get(), 3, O_CLOEXEC) < 0) return Error::from_errno("keep the socket");
  socket = UniqueFd(3);
  kept.reset();
  if (const int number = close_all_but(std::move(fds))) return Error::from_number(number, "close what was inherited");
  return ok;
}

class Holder {
 public:
  explicit Holder(UniqueFd socket) : socket_(std::move(socket)) {}

  void build(SpacePlan plan, std::vector<UniqueFd> sources, UniqueFd mapped);
  [[noreturn]] void serve();

 private:
  void need(SpaceStep step, Result<> result) const;
  bool receive(char* buffer, size_t length, std::vector<UniqueFd>& fds) const;
  void take_request();
  void start_command(std::string_view bytes, std::vector<UniqueFd>& fds);
  void open_terminal(std::string_view bytes, const UniqueFd& reply) const;
  void start_files(std::string_view bytes, UniqueFd& socket);
  void keep_warm(std::string_view bytes);
  void show(std::string_view bytes, std::vector<UniqueFd>& fds);
  bool start_warm(std::string_view bytes, const std::vector<UniqueFd>& fds);
  void leave_to_child();
  static pid_t make_inner_namespaces();

  UniqueFd socket_;
  UniqueFd children_;
  UniqueFd segments_;               // the list of them, until the keeper has it
  std::vector<UniqueFd> counters_;  // of its network, until the keeper has them
  std::vector<int> in_memory_;      // the file systems that commands may fill; shown_ owns them
  MountPlan mounts_;
  Powers powers_ = Powers::of_a_namespace;
  ShownMounts shown_;
  std::optional<WarmBase> base_;
};

void Holder::need(SpaceStep step, Result<> result) const {
  if (result) return;
  const JsonObject failure{
      {"step", static_cast<int64_t>(step)}, {"number", result.error().number()}, {"message", result.error().message()}};
  const std::string text = write_json(failure);
  (void)!::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  ::_exit(1);
}

void Holder::build(SpacePlan plan, std::vector<UniqueFd> sources, UniqueFd mapped) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const SegmentLimits segments{plan.segment_bytes};
  // Root may write them until it becomes somebody else. Where nobody can, they are only counted.
  const bool limited = !plan.own_ipc || limit_segments(segments);
  need(SpaceStep::identity, take_identity(plan.identity, mapped));
  if (!limited && plan.identity.user_namespace) (void)enter_limited_segments(segments, plan.identity);
  // The list is of the namespace of who opens it, whoever reads it later.
  if (plan.own_ipc) segments_ = UniqueFd(::open("/proc/sysvipc/shm", O_RDONLY | O_CLOEXEC));
  if (plan.own_network) counters_ = RefusedRoutes::open_counters();
  if (plan.identity.user_namespace) share_fairly();
  need(SpaceStep::identity, guard_ourselves());
  need(SpaceStep::mounts, make_all_mounts_private());
  if (sources.empty()) {
    Result<std::vector<UniqueFd>> opened = open_sources(plan.mounts, plan.identity);
    if (!opened) need(SpaceStep::mounts, opened.error());
    sources = *std::move(opened);
  }
  Result<std::vector<OwnFolder>> folders = build_view(plan.mounts, std::move(sources));
  if (!folders) need(SpaceStep::mounts, folders.error());
  if (plan.own_network) {
    Result<> loopback = bring_up_loopback();
    if (plan.loopback_required) need(SpaceStep::network, std::move(loopback));
  }
  mapped.reset();
  std::vector<UniqueFd*> kept;
  if (segments_) kept.push_back(&segments_);
  for (UniqueFd& counter : counters_) kept.push_back(&counter);
  for (OwnFolder& folder : *folders) kept.push_back(&folder.mount);
  need(SpaceStep::hygiene, keep_only(socket_, kept));
  for (const OwnFolder& folder : *folders) {
    const auto fills = [&folder](const MountStep& step) {
      return is_place_in_memory(step) && step.target == folder.target;
    };
    if (std::ranges::any_of(plan.mounts.steps, fills)) in_memory_.push_back(folder.mount.get());
  }
  shown_ = ShownMounts(*std::move(folders));
  mounts_ = std::move(plan.mounts);
  if (plan.identity.keeps_capabilities) powers_ = Powers::all;
}

bool Holder::receive(char* buffer, size_t length, std::vector<UniqueFd>& fds) const {
  while (length > 0) {
    Result<Received> received = receive_some(socket_.get(), buffer, length);
    if (!received || received->closed) return false;
    for (UniqueFd& fd : received->fds) fds.push_back(std::move(fd));
    buffer += received->count;
    length -= received->count;
  }
  return true;
}

// The session's life is its socket's: when we leave, the kernel ends all that runs below us.
void Holder::take_request() {
  HolderRequest request;
  std::vector<UniqueFd> fds;
  if (!receive(reinterpret_cast<char*>(&request), sizeof request, fds)) ::_exit(0);
  std::string body(request.length, 0);
  if (!receive(body.data(), body.size(), fds)) ::_exit(0);
  if (request.kind == HolderRequest::command && fds.size() >= 4) start_command(body, fds);
  if (request.kind == HolderRequest::terminal && fds.size() == 1) open_terminal(body, fds[0]);
  if (request.kind == HolderRequest::files && fds.size() == 1) start_files(body, fds[0]);
  if (request.kind == HolderRequest::warm) keep_warm(body);
  if (request.kind == HolderRequest::show && !fds.empty()) show(body, fds);
}

// A base is in our own mount namespace: what it forks from now on has what we have.
void Holder::show(std::string_view bytes, std::vector<UniqueFd>& fds) {
  const UniqueFd reply = std::move(fds.front());
  fds.erase(fds.begin());
  const Result<ShowOrder> order = decode_show_order(bytes);
  if (!order) return;
  // First, so that none of them comes to lie over what is shown.
  (void)renew_mirrors(mounts_, shown_.ids());
  (void)write_all(reply.get(), encode(shown_.show(mounts_, *order, std::move(fds))));
}

// One of another id gives way; one of the same id that lives is as good.
void Holder::keep_warm(std::string_view bytes) {
  const Result<WarmOrder> order = decode_warm_order(bytes);
  if (!order || (base_ && base_->id() == order->id)) return;
  base_.reset();
  Result<WarmBase> base = WarmBase::start(*order, powers_, shown_.ids());
  if (base) base_.emplace(*std::move(base));  // else commands start cold
}

// Whether the base runs the order; if not, it is still to be done.
bool Holder::start_warm(std::string_view bytes, const std::vector<UniqueFd>& fds) {
  if (!base_ || !base_->ready()) return false;
  const Result<CommandOrder> order = decode_command_order(bytes);
  if (!order || order->warm != base_->id()) return false;
  const WarmBase::Taken taken = base_->hand_over(bytes, fds);
  if (base_->stuck()) base_.reset();
  return taken == WarmBase::Taken::yes;
}

// What is the holder's own, in a child that lives on without exec.
void Holder::leave_to_child() {
  socket_.reset();
  children_.reset();
  shown_.let_go();
  if (base_) base_->let_go();
}

// A pid and a mount namespace inside the session's, as fork(2) does.
pid_t Holder::make_inner_namespaces() {
  clone_args arguments{};
  arguments.flags = CLONE_NEWPID | CLONE_NEWNS;
  arguments.exit_signal = SIGCHLD;
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

void Holder::start_command(std::string_view bytes, std::vector<UniqueFd>& fds) {
  if (Result<> renewed = renew_mirrors(mounts_, shown_.ids()); !renewed) {
    CommandReport failure{.kind = CommandReport::Kind::failed, .value = static_cast<int32_t>(SpaceStep::mounts)};
    failure.other = renewed.error().number();
    renewed.error().message().copy(failure.detail, sizeof failure.detail - 1);
    (void)!::send(fds[0].get(), &failure, sizeof failure, MSG_NOSIGNAL);
    return;
  }
  if (start_warm(bytes, fds)) return;
  const pid_t pid = make_inner_namespaces();
  CommandReport failure{.kind = CommandReport::Kind::failed, .value = static_cast<int32_t>(SpaceStep::clone)};
  if (pid == 0) {
    leave_to_child();
    Result<CommandOrder> order = decode_command_order(bytes);
    Result<CommandStreams> streams = order ? streams_of(*order, fds) : Result<CommandStreams>(order.error());
    if (streams) run_command(*order, std::move(fds[0]), *std::move(streams));
    failure.other = EINVAL;
  } else if (pid < 0) {
    failure.other = errno;
  }
  if (pid <= 0) (void)!::send(fds[0].get(), &failure, sizeof failure, MSG_NOSIGNAL);
  if (pid == 0) ::_exit(1);
}

void Holder::open_terminal(std::string_view bytes, const UniqueFd& reply) const {
  const UniqueFd master(::open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  const int unlocked = 0;
  winsize size{};
  if (bytes.size() == sizeof size) std::memcpy(&size, bytes.data(), sizeof size);
  if (!master || ::ioctl(master.get(), TIOCSPTLCK, &unlocked) != 0) return;
  const UniqueFd slave(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave || ::ioctl(master.get(), TIOCSWINSZ, &size) != 0) return;
  (void)send_some(reply.get(), "t", {master.get(), slave.get()});
}

void Holder::start_files(std::string_view bytes, UniqueFd& socket) {
  const MountIds shown = shown_.ids();
  if (Result<> renewed = renew_mirrors(mounts_, shown); !renewed) {
    refuse_to_serve(socket.get(), {SpaceStep::mounts, renewed.error().number(), renewed.error().message()});
    return;
  }
  const MountPlan guarded = without_mirrors_on(shown, mounts_);  // in the copy of the view mounts have other numbers
  const pid_t pid = make_inner_namespaces();
  if (pid > 0) return;
  if (pid < 0) {
    const Error why = Error::from_errno("make the namespaces of a file server");
    refuse_to_serve(socket.get(), {SpaceStep::clone, why.number(), why.message()});
    return;
  }
  leave_to_child();
  Result<CommandOrder> order = decode_command_order(bytes);
  if (order) serve_files(*order, guarded, std::move(socket));
  refuse_to_serve(socket.get(), {SpaceStep::clone, EINVAL, order.error().message()});
  ::_exit(1);
}

void Holder::serve() {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  children_ = UniqueFd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  std::vector<int> given;
  for (const UniqueFd& counter : counters_) given.push_back(counter.get());
  given.insert(given.end(), in_memory_.begin(), in_memory_.end());
  if (segments_) given.push_back(segments_.get());
  const std::string answer = write_json(JsonObject{{"counters", counters_.size()}});
  (void)send_some(socket_.get(), answer, given);
  segments_.reset();
  counters_.clear();
  while (true) {
    pollfd watched[] = {
        {children_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}, {base_ ? base_->socket() : -1, POLLIN, 0}};
    if (::poll(watched, 3, -1) <= 0) continue;
    signalfd_siginfo drained;
    while (::read(children_.get(), &drained, sizeof drained) > 0) {
    }
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (watched[2].revents && !base_->hear()) base_.reset();
    if (watched[1].revents) take_request();
  }
}

}  // namespace

void hold_session(const SpacePlan& plan, std::vector<UniqueFd> sources, UniqueFd mapped, UniqueFd socket) {
  ::prctl(PR_SET_NAME, "talaria-sandbox");
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2}) ::signal(signal, SIG_IGN);
  ::setsid();
  Holder holder(std::move(socket));
  holder.build(plan, std::move(sources), std::move(mapped));
  holder.serve();
}

}  // namespace talaria
