#include "sandbox/file_server.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "os/daemon.h"
#include "os/descriptors.h"
#include "os/socket.h"
#include "sandbox/command_proc.h"
#include "sandbox/file_operations.h"
#include "sandbox/file_protocol.h"
#include "sandbox/seccomp.h"
#include "sandbox/space_confine.h"
#include "sandbox/space_holder.h"

namespace talaria {
namespace {

void send_answer(int socket, const FileAnswer& answer, const UniqueFd& opened) {
  std::vector<int> fds;
  if (opened) fds.push_back(opened.get());
  const Result<size_t> sent = send_some(socket, encode(answer), fds);
  if (sent) return;
  const int number = sent.error().number();
  if (number == EPIPE || number == ECONNRESET) ::_exit(0);
  // Too many fds are on their way, of this user: the file is not, but the client must hear of it.
  if (!send_some(socket, encode(FileAnswer{.number = number}))) ::_exit(1);
}

[[noreturn]] void run(FileOperations operations, const UniqueFd& socket) {
  while (true) {
    char buffer[most_request_bytes + 1];  // one more, to see that a packet is too long
    const Result<Received> received = receive_some(socket.get(), buffer, sizeof buffer);
    if (!received || received->closed || !received->fds.empty()) ::_exit(0);
    const Result<FileRequest> request = decode_file_request({buffer, received->count});
    if (!request) ::_exit(1);
    UniqueFd opened;
    const FileAnswer answer = operations.take(*request, opened);
    send_answer(socket.get(), answer, opened);
    if (answer.refusal == FileRefusal::view_changed) ::_exit(0);
  }
}

// The socket on 3, and nothing else but 0, 1 and 2 on /dev/null, so that none of them is ever somebody's file.
int keep_only_socket(const UniqueFd& socket) {
  if (socket.get() != 3 && ::dup3(socket.get(), 3, O_CLOEXEC) < 0) return errno;
  return ::close_range(4, ~0U, 0) == 0 ? 0 : errno;
}

// As commands, but for descriptors: those that commands of the same user have on their way through sockets must not
// keep us from handing out files.
std::optional<ResourceLimits> own_limits(const CommandOrder& order) {
  std::optional<ResourceLimits> limits = order.limits;
  if (limits) limits->open_files = ResourceLimits::as_it_is;
  (void)raise_open_files();
  return limits;
}

}  // namespace

void serve_files(const CommandOrder& order, const MountPlan& mounts, UniqueFd socket) {
  const auto give_up = [&](SpaceStep step, int number, std::string message) {
    refuse_to_serve(socket.get(), {step, number, std::move(message)});
    ::_exit(1);
  };
  const auto need = [&](SpaceStep step, int number) {
    if (number != 0) give_up(step, number, std::generic_category().message(number));
  };
  ::prctl(PR_SET_NAME, "talaria-files");
  need(SpaceStep::session, ::setsid() < 0 ? errno : 0);
  if (Result<> proc = build_command_proc(); !proc)
    give_up(SpaceStep::mounts, proc.error().number(), proc.error().message());
  Result<UniqueFd> ruleset = make_order_ruleset(order);
  if (!ruleset) give_up(SpaceStep::landlock, ruleset.error().number(), ruleset.error().message());
  // It opens by openat2 and caps the modes itself; it needs no socket.
  Result<std::vector<uint8_t>> filter = compile_filter({.families = {}, .set_group_id = false, .openat2 = true});
  if (!filter) give_up(SpaceStep::seccomp, filter.error().number(), filter.error().message());
  const std::optional<ResourceLimits> limits = own_limits(order);
  ConfineView view = confinement_of(order, *ruleset);
  view.limits = limits ? &*limits : nullptr;
  if (!order.filter.empty()) view.filter = *filter;
  view.cwd = "/";  // all paths are absolute
  const ConfineFailure failure = confine(view);
  need(failure.step, failure.number);
  need(SpaceStep::hygiene, ::prctl(PR_SET_DUMPABLE, 0) == 0 ? 0 : errno);
  need(SpaceStep::hygiene, keep_only_socket(socket));
  run(FileOperations(mounts), UniqueFd(3));
}

void refuse_to_serve(int socket, const SpaceFailure& failure) {
  FileAnswer answer{.refusal = FileRefusal::set_up, .number = failure.number, .step = static_cast<int>(failure.step)};
  answer.text = failure.message.substr(0, most_path_bytes);
  (void)send_some(socket, encode(answer));
}

}  // namespace talaria
