#include "sandbox/syscalls.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

namespace talaria {
namespace {

#define REFUSE(group, name, error) \
  { #name, SYS_##name, error, group }

// Numbers above those of Debian 12's headers; since 424 all architectures share them.
constexpr int fchmodat2 = 452;
constexpr int statmount = 457;
constexpr int listmount = 458;
constexpr int lsm_set_self_attr = 460;
constexpr int open_tree_attr = 467;
constexpr uint32_t set_delegation = 1024 + 16;  // F_SETDELEG, since Linux 6.19: a lease that also directories can have

constexpr RefusedSyscall whole_syscalls[] = {
    // chroot is what a plain user may not call either; with a stray capability it is the classic way out.
    REFUSE("mounts", mount, EPERM),
    REFUSE("mounts", umount2, EPERM),
    REFUSE("mounts", pivot_root, EPERM),
    REFUSE("mounts", chroot, EPERM),
    REFUSE("mounts", open_tree, EPERM),
    REFUSE("mounts", move_mount, EPERM),
    REFUSE("mounts", fsopen, EPERM),
    REFUSE("mounts", fsconfig, EPERM),
    REFUSE("mounts", fsmount, EPERM),
    REFUSE("mounts", fspick, EPERM),
    REFUSE("mounts", mount_setattr, EPERM),
    {"open_tree_attr", open_tree_attr, EPERM, "mounts"},

    // All of unshare, not only its flags for namespaces: the kernel gives it new ones.
    REFUSE("namespaces", unshare, EPERM),
    REFUSE("namespaces", setns, EPERM),

    REFUSE("other processes", ptrace, EPERM),
    REFUSE("other processes", process_vm_readv, EPERM),
    REFUSE("other processes", process_vm_writev, EPERM),
    REFUSE("other processes", process_madvise, EPERM),
    REFUSE("other processes", pidfd_getfd, EPERM),
    REFUSE("other processes", kcmp, EPERM),

    REFUSE("kernel", bpf, EPERM),
    REFUSE("kernel", perf_event_open, EPERM),
    REFUSE("kernel", userfaultfd, EPERM),
    REFUSE("kernel", fanotify_init, EPERM),
    REFUSE("kernel", kexec_load, EPERM),
    REFUSE("kernel", kexec_file_load, EPERM),
    REFUSE("kernel", init_module, EPERM),
    REFUSE("kernel", finit_module, EPERM),
    REFUSE("kernel", delete_module, EPERM),
    REFUSE("kernel", syslog, EPERM),
    REFUSE("kernel", lookup_dcookie, EPERM),
    REFUSE("kernel", nfsservctl, EPERM),

    REFUSE("keys", keyctl, EPERM),
    REFUSE("keys", add_key, EPERM),
    REFUSE("keys", request_key, EPERM),

    REFUSE("machine", swapon, EPERM),
    REFUSE("machine", swapoff, EPERM),
    REFUSE("machine", reboot, EPERM),
    REFUSE("machine", acct, EPERM),
    REFUSE("machine", quotactl, EPERM),
    REFUSE("machine", quotactl_fd, EPERM),
    REFUSE("machine", vhangup, EPERM),
#ifdef SYS_iopl
    REFUSE("machine", iopl, EPERM),
    REFUSE("machine", ioperm, EPERM),
#endif

    // Opens a file by its inode, past every directory. The handle alone (name_to_handle_at) opens nothing.
    REFUSE("file handles", open_by_handle_at, EPERM),

    REFUSE("clock", clock_settime, EPERM),
    REFUSE("clock", settimeofday, EPERM),
    REFUSE("clock", adjtimex, EPERM),
    REFUSE("clock", clock_adjtime, EPERM),

    // Takes space on the disk without writing, unseen by whoever counts what is written. As on a file system without
    // it:
    // posix_fallocate then writes.
    REFUSE("disk", fallocate, EOPNOTSUPP),

    // As on a kernel without them: programs then take the older call, which a filter can look into.
    REFUSE("not to be looked into", io_uring_setup, ENOSYS),
    REFUSE("not to be looked into", io_uring_enter, ENOSYS),
    REFUSE("not to be looked into", io_uring_register, ENOSYS),
    REFUSE("not to be looked into", clone3, ENOSYS),
    REFUSE("not to be looked into", io_setup, ENOSYS),  // its contexts are counted for the whole machine
    REFUSE("not to be looked into", openat2, ENOSYS),
    {"statmount", statmount, ENOSYS, "not to be looked into"},
    {"listmount", listmount, ENOSYS, "not to be looked into"},
    {"lsm_set_self_attr", lsm_set_self_attr, ENOSYS, "not to be looked into"},
};
#undef REFUSE

// CLONE_NEWTIME is not here: its bit is part of the exit signal in clone(), only clone3 and unshare know it.
#define REFUSE_CLONE(flag) \
  { "clone", SYS_clone, 0, flag, flag, EPERM, #flag }
#define REFUSE_IOCTL(request) \
  { "ioctl", SYS_ioctl, 1, ~0U, request, EPERM, #request }

// A file that is set-user-id belongs to the workspace's owner outside, which may be root, and the file system there
// heeds the bit. Whoever ran it would be that owner. The mode of open() counts only when it makes a file.
#define REFUSE_MODE(call, argument, bit) \
  { #call, SYS_##call, argument, bit, bit, EPERM, #bit }
#define REFUSE_NEW(call, argument, bit)                                          \
  {#call, SYS_##call, argument, bit, bit, EPERM, #bit, O_CREAT}, {               \
#call, SYS_##call, argument, bit, bit, EPERM, #bit, O_TMPFILE & ~O_DIRECTORY \
  }
#define REFUSE_MODES(bit)                                                                                         \
  REFUSE_MODE(chmod, 1, bit), REFUSE_MODE(fchmod, 1, bit), REFUSE_MODE(fchmodat, 2, bit),                         \
      {"fchmodat2", fchmodat2, 2, bit, bit, EPERM, #bit}, REFUSE_MODE(creat, 1, bit), REFUSE_MODE(mknod, 1, bit), \
      REFUSE_MODE(mknodat, 2, bit), REFUSE_NEW(open, 2, bit), REFUSE_NEW(openat, 3, bit)

constexpr RefusedArgument single_arguments[] = {
    REFUSE_CLONE(CLONE_NEWNS),
    REFUSE_CLONE(CLONE_NEWCGROUP),
    REFUSE_CLONE(CLONE_NEWUTS),
    REFUSE_CLONE(CLONE_NEWIPC),
    REFUSE_CLONE(CLONE_NEWUSER),
    REFUSE_CLONE(CLONE_NEWPID),
    REFUSE_CLONE(CLONE_NEWNET),
    REFUSE_IOCTL(TIOCSTI),    // types into a terminal for whoever reads it next
    REFUSE_IOCTL(TIOCLINUX),  // pastes into a console
    // A socket that lingers and is handed to us by descriptor would hold us up when we close it.
    {"setsockopt", SYS_setsockopt, 2, ~0U, SO_LINGER, EPERM, "SO_LINGER", SOL_SOCKET},
    // Who opens a leased file waits for the command that leased it, up to 45 seconds; so would we, and the owner. As on
    // a file system without leases.
    {"fcntl", SYS_fcntl, 1, ~0U, F_SETLEASE, EINVAL, "F_SETLEASE"},
    {"fcntl", SYS_fcntl, 1, ~0U, set_delegation, EINVAL, "F_SETDELEG"},
    REFUSE_MODES(S_ISUID),
    REFUSE_MODES(S_ISGID),
};
#undef REFUSE_CLONE
#undef REFUSE_IOCTL
#undef REFUSE_MODE
#undef REFUSE_NEW
#undef REFUSE_MODES

}  // namespace

std::span<const RefusedSyscall> refused_syscalls() { return whole_syscalls; }

std::span<const RefusedArgument> refused_arguments() { return single_arguments; }

std::vector<RestrictedSyscall> restricted_syscalls(std::span<const int> families) {
  RestrictedSyscall socket{"socket", SYS_socket, EAFNOSUPPORT, {}};
  for (const int family : families) {
    std::optional<uint32_t> protocol;
    if (family == AF_NETLINK) protocol = NETLINK_ROUTE;
    socket.allowed.push_back({static_cast<uint32_t>(family), protocol});
  }
  // Without random addresses: asked for by ThreadSanitizer and setarch -R, and nobody's business but the caller's.
  constexpr uint32_t query = 0xffffffff;
  return {std::move(socket),
          {"socketpair", SYS_socketpair, EAFNOSUPPORT, {{AF_UNIX}}},
          {"personality", SYS_personality, EPERM, {{PER_LINUX}, {ADDR_NO_RANDOMIZE}, {query}}}};
}

}  // namespace talaria
