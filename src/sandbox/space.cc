#include "sandbox/space.h"

#include <linux/capability.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <system_error>

#include "json/fields.h"
#include "os/file.h"
#include "os/socket.h"
#include "sandbox/space_holder.h"
#include "sandbox/view_build.h"

namespace talaria {
namespace {

constexpr int set_up_milliseconds = 20'000;
constexpr int order_milliseconds = 5000;

uint64_t namespaces_of(const SpacePlan& plan) {
  uint64_t flags = CLONE_NEWNS | CLONE_NEWPID;
  if (plan.identity.user_namespace) flags |= CLONE_NEWUSER;
  if (plan.own_network) flags |= CLONE_NEWNET;
  if (plan.own_ipc) flags |= CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  return flags;
}

Result<HolderFds> wait_until_it_stands(int socket) {
  pollfd watched{socket, POLLIN, 0};
  int ready;
  while ((ready = ::poll(&watched, 1, set_up_milliseconds)) < 0 && errno == EINTR) {
  }
  if (ready <= 0) return Error(ErrorCode::timed_out, "the sandbox did not stand after 20 s");
  char text[4096];
  Received received = TRY(receive_some(socket, text, sizeof text));
  return holder_answer({text, received.count}, std::move(received.fds));
}

// The holder reads all the time: its socket is full for a moment only, unless someone stopped it.
Result<> wait_until_writable(int socket) {
  pollfd watched{socket, POLLOUT, 0};
  if (::poll(&watched, 1, order_milliseconds) != 0) return ok;
  return Error(ErrorCode::timed_out, "the sandbox's first process takes no orders");
}

Error failed_at(SpaceStep step, Error error) { return to_error({step, error.number(), error.message()}); }

}  // namespace

JsonObject to_json(const SpacePlan& plan) {
  return {{"identity", to_json(plan.identity)},
          {"mounts", to_json(plan.mounts)},
          {"own_network", plan.own_network},
          {"loopback_required", plan.loopback_required},
          {"own_ipc", plan.own_ipc},
          {"segment_bytes", plan.segment_bytes}};
}

Result<SpacePlan> space_plan_from_json(const JsonObject& object) {
  Fields fields(object, "sandbox plan");
  const JsonObject* identity = TRY(fields.object("identity"));
  const JsonObject* mounts = TRY(fields.object("mounts"));
  if (!identity || !mounts) return invalid("sandbox plan \"identity\" and \"mounts\" are needed");
  SpacePlan plan;
  plan.identity = TRY(identity_from_json(*identity));
  plan.mounts = TRY(mount_plan_from_json(*mounts));
  plan.own_network = TRY(fields.boolean("own_network")).value_or(true);
  plan.loopback_required = TRY(fields.boolean("loopback_required")).value_or(true);
  plan.own_ipc = TRY(fields.boolean("own_ipc")).value_or(true);
  plan.segment_bytes = static_cast<uint64_t>(TRY(fields.integer("segment_bytes", 0, INT64_MAX)).value_or(0));
  TRY(fields.no_others());
  return plan;
}

namespace {

// Else copying the first mount fails, and nobody would know why.
bool may_make_namespaces() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2] = {};
  return ::syscall(SYS_capget, &header, held) != 0 || (held[0].effective & (1U << CAP_SYS_ADMIN)) != 0;
}

// What to do where the kernel makes no namespaces. A machine without user namespaces was found by the probe before.
std::string namespaces_fix(int number) {
  if (number == EPERM) {
    return ". The process lacks CAP_SYS_ADMIN, or something forbids new namespaces. Fix: in a container, start it with "
           "that capability (docker: --cap-add SYS_ADMIN --security-opt seccomp=unconfined); as a service, leave "
           "RestrictNamespaces= and CapabilityBoundingSet= open; or use host: gateway, which has no sandbox";
  }
  if (number == ENOSPC || number == EUSERS) {
    return ". The machine has no more of them. Fix: raise the limits in /proc/sys/user/max_*_namespaces";
  }
  return "";
}

}  // namespace

Error to_error(const SpaceFailure& failure) {
  std::string message = "set up the sandbox, step " + std::string(name_of(failure.step)) + ": " + failure.message;
  if (failure.step == SpaceStep::clone) message += namespaces_fix(failure.number);
  return {failure.number == EPERM || failure.number == EACCES ? ErrorCode::denied : ErrorCode::unavailable,
          std::move(message)};
}

Result<HolderFds> holder_answer(std::string_view text, std::vector<UniqueFd> fds) {
  if (text.empty()) return Error(ErrorCode::unavailable, "the sandbox's first process ended while it was set up");
  const JsonObject answer = TRY(parse_json_object(text));
  if (answer.contains("counters")) {
    const size_t count = std::min(static_cast<size_t>(integer_or(answer, "counters")), fds.size());
    const auto end = fds.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<UniqueFd> counters(std::move_iterator(fds.begin()), std::move_iterator(end));
    fds.erase(fds.begin(), end);
    return HolderFds{RefusedRoutes(std::move(counters)), SessionMemory(std::move(fds))};
  }
  if (const std::string refusal = text_or(answer, "refusal"); !refusal.empty()) {
    return Error(boolean_or(answer, "denied") ? ErrorCode::denied : ErrorCode::unavailable, refusal);
  }
  return to_error({static_cast<SpaceStep>(integer_or(answer, "step")), static_cast<int>(integer_or(answer, "number")),
                   text_or(answer, "message")});
}

std::string refusing_answer(const Error& why) {
  return write_json(JsonObject{{"refusal", why.message()}, {"denied", why.code() == ErrorCode::denied}});
}

Result<HolderProcess> start_holder(const SpacePlan& plan, UniqueFd socket, SpaceParent parent) {
  // Root must look at sources and write maps before it is someone else; an ordinary user can only do so inside.
  const bool privileged = ::geteuid() == 0;
  if (privileged && !plan.identity.user_namespace && !may_make_namespaces()) {
    return failed_at(SpaceStep::clone, Error::from_number(EPERM, "make the namespaces"));
  }
  std::vector<UniqueFd> sources;
  if (privileged) {
    Result<std::vector<UniqueFd>> opened = open_sources(plan.mounts, plan.identity);
    if (!opened) return failed_at(SpaceStep::mounts, std::move(opened).error());
    sources = *std::move(opened);
  }
  std::pair<UniqueFd, UniqueFd> mapped;
  if (privileged && plan.identity.user_namespace) mapped = TRY(make_pipe());

  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = namespaces_of(plan) | CLONE_PIDFD | (parent == SpaceParent::callers_parent ? CLONE_PARENT : 0);
  arguments.pidfd = reinterpret_cast<uint64_t>(&pidfd);
  arguments.exit_signal = parent == SpaceParent::callers_parent ? 0 : SIGCHLD;
  const pid_t pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
  if (pid == 0) {
    mapped.second.reset();
    hold_session(plan, std::move(sources), std::move(mapped.first), std::move(socket));
  }
  if (pid < 0) return failed_at(SpaceStep::clone, Error::from_errno("make the namespaces"));
  HolderProcess holder{pid, UniqueFd(pidfd)};
  if (mapped.second) {
    Result<> written = write_id_maps(std::to_string(pid), plan.identity.uid, plan.identity.gid, false);
    if (!written) return failed_at(SpaceStep::identity, std::move(written).error());
    TRY(write_all(mapped.second.get(), "m"));
  }
  return holder;
}

SessionSpace::SessionSpace(HolderProcess holder, UniqueFd socket, SpaceParent parent)
    : holder_(std::move(holder)), socket_(std::move(socket)), parent_(parent) {}

SessionSpace::SessionSpace(SessionSpace&& other) noexcept
    : holder_(std::exchange(other.holder_, {})),
      socket_(std::move(other.socket_)),
      parent_(other.parent_),
      fds_(std::move(other.fds_)) {}

SessionSpace SessionSpace::adopt(UniqueFd socket) { return {{}, std::move(socket), SpaceParent::callers_parent}; }

SessionSpace::~SessionSpace() {
  socket_.reset();
  if (holder_.pid <= 0) return;
  ::syscall(SYS_pidfd_send_signal, holder_.pidfd.get(), SIGKILL, nullptr, 0);
  if (parent_ == SpaceParent::caller) ::waitpid(holder_.pid, nullptr, 0);
}

Result<SessionSpace> SessionSpace::start(const SpacePlan& plan, SpaceParent parent) {
  auto [mine, theirs] = TRY(socket_pair(SOCK_STREAM));
  SessionSpace space(TRY(start_holder(plan, std::move(theirs), parent)), std::move(mine), parent);
  space.fds_ = TRY(wait_until_it_stands(space.socket_.get()));
  return space;
}

Result<> SessionSpace::send(uint32_t kind, std::string_view body, const std::vector<int>& fds) {
  const HolderRequest request{kind, static_cast<uint32_t>(body.size())};
  std::string message(reinterpret_cast<const char*>(&request), sizeof request);
  message += body;
  std::string_view rest = message;
  std::vector<int> unsent = fds;
  while (!rest.empty()) {
    Result<size_t> sent = send_some(socket_.get(), rest, unsent);
    if (!sent) return std::move(sent).error().within("hand an order to the sandbox");
    rest.remove_prefix(*sent);
    if (*sent > 0) unsent.clear();
    else TRY(wait_until_writable(socket_.get()));
  }
  return ok;
}

Result<> SessionSpace::command(CommandOrder order, UniqueFd control, CommandStreams streams) {
  order.has_cgroup = static_cast<bool>(streams.cgroup);
  order.numbers = numbers_of(streams.further);
  TRY(check_numbers(order.numbers, StreamKind::pipes));
  std::vector<int> fds = {control.get(), streams.input.get(), streams.output.get(), streams.errors.get()};
  if (streams.cgroup) fds.push_back(streams.cgroup.get());
  for (const NumberedFd& one : streams.further) fds.push_back(one.fd.get());
  return send(HolderRequest::command, encode(order), fds);
}

Result<> SessionSpace::files(CommandOrder order, UniqueFd socket) {
  order.argv = {"talaria-files"};
  order.environment.clear();
  return send(HolderRequest::files, encode(order), {socket.get()});
}

Result<> SessionSpace::warm(const WarmOrder& order) { return send(HolderRequest::warm, encode(order), {}); }

Result<> SessionSpace::show(const ShowOrder& order, const std::vector<UniqueFd>& mounts, UniqueFd reply) {
  std::vector<int> fds = {reply.get()};
  for (const UniqueFd& mount : mounts) fds.push_back(mount.get());
  return send(HolderRequest::show, encode(order), fds);
}

Result<Pty> SessionSpace::terminal(WindowSize size) {
  auto [mine, theirs] = TRY(socket_pair(SOCK_SEQPACKET));
  winsize window{};
  window.ws_row = static_cast<unsigned short>(size.rows);
  window.ws_col = static_cast<unsigned short>(size.cols);
  TRY(send(HolderRequest::terminal, {reinterpret_cast<const char*>(&window), sizeof window}, {theirs.get()}));
  theirs.reset();
  char byte;
  Received received = TRY(receive_some(mine.get(), &byte, 1));
  if (received.fds.size() != 2) return Error(ErrorCode::unavailable, "the sandbox could not open a terminal");
  TRY(set_nonblocking(received.fds[0].get()));
  return Pty{std::move(received.fds[0]), std::move(received.fds[1])};
}

}  // namespace talaria
