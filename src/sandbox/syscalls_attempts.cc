#include "sandbox/syscalls_attempts.h"

#include <linux/netlink.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "sandbox/syscalls.h"

namespace talaria {
namespace {

using Attempts = std::vector<SyscallAttempt>;

constexpr uint64_t minus_one = ~0ULL;
constexpr uint64_t dirt[] = {0, 1ULL << 32, 0xffffffffULL << 32};
constexpr uint32_t namespaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                   CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET, CLONE_NEWTIME};

void add(Attempts& attempts, const char* name, int number, std::array<uint64_t, 6> arguments, int error) {
  std::string what = name;
  for (const uint64_t argument : arguments) what += " " + std::to_string(argument);
  attempts.push_back({std::move(what), number, arguments, error});
}

void add_whole_syscalls(Attempts& attempts) {
  for (const RefusedSyscall& refused : refused_syscalls()) {
    const std::string name(refused.name);
    add(attempts, name.c_str(), refused.number, {0, 0, 0, 0, 0, 0}, refused.error);
    add(attempts, name.c_str(), refused.number, {minus_one, minus_one, minus_one, minus_one, minus_one, minus_one},
        refused.error);
    // As a command number (bpf, keyctl, syslog, quotactl, …) or a descriptor in the first argument.
    for (uint64_t first = 1; first < 32; ++first)
      add(attempts, name.c_str(), refused.number, {first, minus_one, 0, 0, 0, 0}, refused.error);
  }
}

void add_flags_of_whole_syscalls(Attempts& attempts) {
  constexpr uint64_t mounting[] = {MS_BIND, MS_BIND | MS_REC, MS_REMOUNT, MS_REMOUNT | MS_BIND, MS_MOVE, MS_PRIVATE};
  for (const uint64_t flag : mounting) add(attempts, "mount", SYS_mount, {minus_one, minus_one, 0, flag, 0, 0}, EPERM);
  for (const uint64_t flag : {MNT_FORCE, MNT_DETACH, MNT_EXPIRE, UMOUNT_NOFOLLOW})
    add(attempts, "umount2", SYS_umount2, {minus_one, flag, 0, 0, 0, 0}, EPERM);
  for (const uint64_t flag : namespaces) {
    add(attempts, "unshare", SYS_unshare, {flag, 0, 0, 0, 0, 0}, EPERM);
    add(attempts, "unshare", SYS_unshare, {flag | CLONE_FS | CLONE_FILES, 0, 0, 0, 0, 0}, EPERM);
    add(attempts, "setns", SYS_setns, {minus_one, flag, 0, 0, 0, 0}, EPERM);
  }
  for (const uint64_t request : {PTRACE_TRACEME, PTRACE_PEEKTEXT, PTRACE_POKETEXT, PTRACE_GETREGS, PTRACE_ATTACH,
                                 PTRACE_SEIZE, PTRACE_GETREGSET, PTRACE_SETOPTIONS})
    add(attempts, "ptrace", SYS_ptrace, {request, minus_one >> 33, 0, 0, 0, 0}, EPERM);
}

// Those of refused_arguments(), alone and among others.
void add_clone_flags(Attempts& attempts) {
  constexpr uint64_t company[] = {0, SIGCHLD, CLONE_VFORK | SIGCHLD, CLONE_PARENT | SIGCHLD, CLONE_FILES | SIGCHLD};
  for (const uint64_t flag : namespaces) {
    if (flag == CLONE_NEWTIME) continue;
    for (const uint64_t others : company)
      for (const uint64_t upper : dirt)
        add(attempts, "clone", SYS_clone, {upper | flag | others, 0, 0, 0, 0, 0}, EPERM);
  }
  const uint64_t all = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | SIGCHLD;
  add(attempts, "clone", SYS_clone, {all, 0, 0, 0, 0, 0}, EPERM);
}

void add_ioctls(Attempts& attempts) {
  for (const uint64_t request : {TIOCSTI, TIOCLINUX})
    for (const uint64_t upper : dirt)
      for (const uint64_t fd : {0ULL, 1ULL, minus_one + 0ULL})
        add(attempts, "ioctl", SYS_ioctl, {fd, upper | request, 0, 0, 0, 0}, EPERM);
}

void add_socket_options(Attempts& attempts) {
  for (const uint64_t upper : dirt)
    for (const uint64_t fd : {0ULL, minus_one + 0ULL})
      add(attempts, "setsockopt", SYS_setsockopt, {fd, upper | SOL_SOCKET, upper | SO_LINGER, 0, 0, 0}, EPERM);
}

void add_leases(Attempts& attempts) {
  for (const RefusedArgument& refused : refused_arguments()) {
    if (refused.number != SYS_fcntl) continue;
    for (const uint64_t upper : dirt)
      for (const uint64_t kind : {0ULL, 1ULL, 2ULL})  // for reading, for writing, none
        add(attempts, "fcntl", SYS_fcntl, {minus_one, upper | refused.value, kind, 0, 0, 0}, EINVAL);
  }
}

void add_socket_families(Attempts& attempts) {
  constexpr uint64_t types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_STREAM | SOCK_CLOEXEC};
  constexpr uint64_t open[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
  std::vector<uint64_t> families{0xffffffff, 0x80000001, 0x10001, 256 + AF_INET};
  for (uint64_t family = 0; family < 64; ++family) families.push_back(family);
  for (const uint64_t upper : dirt) {
    for (const uint64_t family : families) {
      if (family != AF_UNIX)
        add(attempts, "socketpair", SYS_socketpair, {upper | family, SOCK_STREAM, 0, 0, 0, 0}, EAFNOSUPPORT);
      if (std::ranges::find(open, family) != std::end(open)) continue;
      for (const uint64_t type : types)
        add(attempts, "socket", SYS_socket, {upper | family, type, 0, 0, 0, 0}, EAFNOSUPPORT);
    }
    for (uint64_t protocol = NETLINK_ROUTE + 1; protocol < MAX_LINKS; ++protocol)
      add(attempts, "socket", SYS_socket, {upper | AF_NETLINK, SOCK_RAW, upper | protocol, 0, 0, 0}, EAFNOSUPPORT);
  }
}

void add_personalities(Attempts& attempts) {
  std::vector<uint64_t> odd{PER_LINUX32, PER_SVR4,  PER_BSD, READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE,
                            0xfffffffe,  0x7fffffff};
  for (int bit = 0; bit < 32; ++bit)
    if ((1U << bit) != ADDR_NO_RANDOMIZE) odd.push_back(1U << bit);
  for (const uint64_t upper : dirt)
    for (const uint64_t value : odd)
      add(attempts, "personality", SYS_personality, {upper | value, 0, 0, 0, 0, 0}, EPERM);
}

// On paths and descriptors that are not there.
void add_modes(Attempts& attempts) {
  for (const RefusedArgument& refused : refused_arguments()) {
    if (refused.meaning != "S_ISUID" && refused.meaning != "S_ISGID") continue;
    for (const uint64_t upper : dirt) {
      for (const uint64_t others : {0ULL, 0755ULL, 06777ULL, 01000ULL}) {
        std::array<uint64_t, 6> call = {minus_one, minus_one, minus_one, minus_one, 0, 0};
        if (refused.with != 0) call[refused.argument - 1] = upper | refused.with;
        call[refused.argument] = upper | refused.value | others;
        add(attempts, std::string(refused.name).c_str(), refused.number, call, EPERM);
      }
    }
  }
}

}  // namespace

std::vector<SyscallAttempt> attempts_to_refuse() {
  Attempts attempts;
  add_whole_syscalls(attempts);
  add_flags_of_whole_syscalls(attempts);
  add_clone_flags(attempts);
  add_ioctls(attempts);
  add_socket_options(attempts);
  add_leases(attempts);
  add_socket_families(attempts);
  add_personalities(attempts);
  add_modes(attempts);
  return attempts;
}

int attempt(const SyscallAttempt& attempt) {
  const pid_t before = ::getpid();
  const auto& [a, b, c, d, e, f] = attempt.arguments;
  const long result = ::syscall(attempt.number, a, b, c, d, e, f);
  const int error = errno;
  if (::getpid() != before) ::_exit(0);  // the child of a clone that was let through
  return result < 0 ? error : 0;
}

}  // namespace talaria
