#include "sandbox/segments.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>

#include "os/fd.h"
#include "os/socket.h"

namespace talaria {
namespace {

bool write_setting(const char* path, std::string_view value) {
  const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

bool become_root_of_own_namespace(const Identity& identity) {
  const auto as_root = [](uint32_t id) { return "0 " + std::to_string(id) + " 1"; };
  (void)write_setting("/proc/self/setgroups", "deny");  // refused where it was denied above us already
  return write_setting("/proc/self/uid_map", as_root(identity.uid)) &&
         write_setting("/proc/self/gid_map", as_root(identity.gid));
}

}  // namespace

bool limit_segments(const SegmentLimits& limits) {
  // The kernel's own defaults allow a billion semaphores and half a gigabyte of messages.
  if (!write_setting("/proc/sys/kernel/sem", "1000 32000 500 1024")) return false;
  if (!write_setting("/proc/sys/kernel/msgmni", "256")) return false;
  if (limits.bytes == 0) return true;
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return write_setting("/proc/sys/kernel/shmall", std::to_string(std::max<uint64_t>(limits.bytes / page, 1))) &&
         write_setting("/proc/sys/kernel/shmmax", std::to_string(limits.bytes));
}

bool enter_limited_segments(const SegmentLimits& limits, const Identity& identity) {
  Result<std::pair<UniqueFd, UniqueFd>> pair = socket_pair(SOCK_STREAM);
  // Of one that is not dumpable /proc/self belongs to root.
  if (!pair || ::prctl(PR_SET_DUMPABLE, 1) != 0) return false;
  clone_args arguments{};
  arguments.flags = CLONE_NEWUSER | CLONE_NEWIPC;
  arguments.exit_signal = SIGCHLD;
  const pid_t child = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
  if (child == 0) {
    if (!become_root_of_own_namespace(identity) || !limit_segments(limits)) ::_exit(1);
    const UniqueFd own(::open("/proc/self/ns/ipc", O_RDONLY | O_CLOEXEC));
    ::_exit(own && send_some(pair->second.get(), "i", {own.get()}) ? 0 : 1);
  }
  pair->second.reset();
  if (child < 0) return false;
  char byte;
  const Result<Received> received = receive_some(pair->first.get(), &byte, 1);
  ::waitpid(child, nullptr, 0);
  return received && received->fds.size() == 1 && ::setns(received->fds[0].get(), CLONE_NEWIPC) == 0;
}

}  // namespace talaria
