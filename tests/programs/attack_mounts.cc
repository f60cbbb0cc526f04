// Changing the view: mounts and namespaces.
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/nsfs.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <sstream>

#include "attack.h"

namespace attack {
namespace {

void mount_something(Attempt& attempt) {
  ::mkdir("point", 0755);
  const struct {
    const char *what, *source, *target, *type;
    unsigned long flags;
  } tries[] = {
      {"tmpfs", "none", "point", "tmpfs", 0},
      {"proc", "none", "point", "proc", 0},
      {"sysfs", "none", "point", "sysfs", 0},
      {"overlay", "none", "point", "overlay", 0},
      {"bind /", "/", "point", nullptr, MS_BIND | MS_REC},
      {"bind over .git/hooks", "point", ".git/hooks", nullptr, MS_BIND},
      {"remount / to write", "none", "/", nullptr, MS_REMOUNT | MS_BIND},
      {"remount .mcp.json to write", "none", ".mcp.json", nullptr, MS_REMOUNT | MS_BIND},
      {"remount /proc/sys to write", "none", "/proc/sys", nullptr, MS_REMOUNT | MS_BIND},
      {"move /proc", "/proc", "point", nullptr, MS_MOVE},
      {"share everything", "none", "/", nullptr, MS_SHARED | MS_REC},
      {"a disk", "/dev/vda", "point", "ext4", MS_RDONLY},
      {"cgroup", "none", "point", "cgroup", 0},
      {"cgroup2", "none", "point", "cgroup2", 0},
      {"mqueue", "none", "point", "mqueue", 0},
  };
  for (const auto& one : tries) {
    attempt.must_be_filtered(std::string("mount ") + one.what,
                             ::mount(one.source, one.target, one.type, one.flags, nullptr));
  }
  ::rmdir("point");
}

// Takes off what covers the host.
void unmount(Attempt& attempt) {
  std::istringstream lines(text_of("/proc/self/mountinfo", 1 << 20));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word, target;
    for (int i = 0; i < 5; ++i) words >> target;
    attempt.must_be_filtered("unmount " + target, ::umount2(target.c_str(), MNT_DETACH));
    attempt.must_be_filtered("unmount softly " + target, ::umount2(target.c_str(), UMOUNT_NOFOLLOW));
  }
  for (const std::string& path :
       {attempt.bait["home"], attempt.bait["own"], std::string("/tmp"), std::string("/proc")}) {
    attempt.must_be_filtered("unmount " + path, ::umount2(path.c_str(), MNT_DETACH));
  }
}

void mount_by_descriptor(Attempt& attempt) {
  attempt.must_be_filtered("open_tree", ::syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE | AT_RECURSIVE));
  attempt.must_be_filtered("open_tree of a file", ::syscall(SYS_open_tree, AT_FDCWD, ".mcp.json", OPEN_TREE_CLONE));
  attempt.must_be_filtered("open_tree without a copy", ::syscall(SYS_open_tree, AT_FDCWD, "/", 0));
  attempt.must_be_filtered("fsopen", ::syscall(SYS_fsopen, "tmpfs", 0));
  attempt.must_be_filtered("fsopen proc", ::syscall(SYS_fsopen, "proc", 0));
  attempt.must_be_filtered("fspick", ::syscall(SYS_fspick, AT_FDCWD, "/", 0));
  attempt.must_be_filtered("fsmount", ::syscall(SYS_fsmount, 0, 0, 0));
  attempt.must_be_filtered("fsconfig", ::syscall(SYS_fsconfig, 0, 6, nullptr, nullptr, 0));
  attempt.must_be_filtered("move_mount", ::syscall(SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/etc", 0));
  struct mount_attr writable {};
  writable.attr_clr = MOUNT_ATTR_RDONLY;
  attempt.must_be_filtered("mount_setattr",
                           ::syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &writable, sizeof writable));
  attempt.must_be_filtered("open_tree_attr",
                           ::syscall(467, AT_FDCWD, "/", OPEN_TREE_CLONE, &writable, sizeof writable));
}

void change_root(Attempt& attempt) {
  attempt.must_be_filtered("pivot_root", ::syscall(SYS_pivot_root, ".", "."));
  attempt.must_be_filtered("chroot here", ::chroot("."));
  attempt.must_be_filtered("chroot to /proc/1/root", ::chroot("/proc/1/root"));
  attempt.must_be_filtered("chroot to /tmp", ::chroot("/tmp"));
}

void mount_programs(Attempt& attempt) {
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"mount", "-t", "tmpfs", "none", "/mnt"},
                                             {"mount", "-o", "remount,rw,bind", "/"},
                                             {"umount", "-l", "/tmp"},
                                             {"unshare", "-rm", "true"},
                                             {"nsenter", "-t", "1", "-m", "true"},
                                             {"fusermount3", "/mnt"},
                                             {"newuidmap", "1", "0", "0", "1"},
                                             {"bwrap", "--bind", "/", "/", "true"}}) {
    const Output output = output_of(argv);
    if (output.code == 0) attempt.broke(argv[0] + " " + argv[1] + " worked");
    else attempt.note(argv[0] + " ended with " + std::to_string(output.code));
  }
}

constexpr NamedAttempt all_mounts[] = {
    {"mount_something", mount_something},         {"unmount", unmount},
    {"mount_by_descriptor", mount_by_descriptor}, {"change_root", change_root},
    {"mount_programs", mount_programs},
};

// --- namespaces ---

constexpr struct {
  const char* name;
  unsigned long flag;
} kinds[] = {{"mount", CLONE_NEWNS},  {"cgroup", CLONE_NEWCGROUP}, {"uts", CLONE_NEWUTS}, {"ipc", CLONE_NEWIPC},
             {"user", CLONE_NEWUSER}, {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET}};

void unshare_each(Attempt& attempt) {
  for (const auto& kind : kinds) {
    attempt.must_be_filtered(std::string("unshare ") + kind.name, ::unshare(static_cast<int>(kind.flag)));
    attempt.must_be_filtered(std::string("unshare user and ") + kind.name,
                             ::unshare(static_cast<int>(kind.flag | CLONE_NEWUSER)));
  }
  attempt.must_be_filtered("unshare time", ::unshare(CLONE_NEWTIME));
}

// A child in new namespaces would have every capability in them.
void clone_each(Attempt& attempt) {
  for (const auto& kind : kinds) {
    for (const unsigned long more : {0UL, static_cast<unsigned long>(CLONE_NEWUSER), 1UL << 32}) {
      const long child = ::syscall(SYS_clone, kind.flag | more | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
      if (child == 0) ::_exit(0);
      attempt.must_be_filtered(std::string("clone ") + kind.name, child);
      if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, 0);
    }
    struct clone_args arguments {};
    arguments.flags = kind.flag | CLONE_NEWUSER;
    arguments.exit_signal = SIGCHLD;
    const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) ::_exit(0);
    attempt.must_be_filtered(std::string("clone3 ") + kind.name, child);
    if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, 0);
  }
}

void enter_each(Attempt& attempt) {
  for (const std::string& pid : {std::string("self"), std::string("1"), std::string("2"), std::to_string(::getppid()),
                                 attempt.bait["victim"], attempt.bait["gateway"], attempt.bait["keeper"]}) {
    for (const std::string name : {"mnt", "user", "pid", "net", "ipc", "uts", "cgroup", "time", "pid_for_children"}) {
      const std::string path = "/proc/" + pid + "/ns/" + name;
      const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      attempt.must_be_filtered("enter " + path, ::setns(fd, 0));
      if (fd >= 0) ::close(fd);
    }
  }
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0));
  attempt.must_be_filtered("enter by pidfd", ::setns(process, CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID));
}

// Namespaces lead to their parents and owners.
void climb(Attempt& attempt) {
  for (const std::string name : {"mnt", "user", "pid", "net"}) {
    const int fd = ::open(("/proc/self/ns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
    const int above = ::ioctl(fd, NS_GET_PARENT);
    const int owner = ::ioctl(fd, NS_GET_USERNS);
    for (const int found : {owner, above}) {
      if (found >= 0) attempt.must_be_filtered("enter what is above " + name, ::setns(found, 0));
    }
    // The owner is the sandbox's own user namespace; what is above that one is the host's.
    if (owner >= 0) attempt.must_fail("climb from " + name + " to the host", ::ioctl(owner, NS_GET_PARENT));
  }
}

// One process in a user namespace of its own could mount there, and so see what is covered.
void nested(Attempt& attempt) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(0);
    ::_exit(::umount2("/tmp", MNT_DETACH) == 0 ? 2 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 0) attempt.note("no nested user namespace");
  else attempt.broke(WEXITSTATUS(status) == 2 ? "uncovered /tmp" : "a nested user namespace");
}

constexpr NamedAttempt all_namespaces[] = {
    {"unshare_each", unshare_each}, {"clone_each", clone_each},     {"enter_each", enter_each},
    {"climb", climb, Harm::none},   {"nested", nested, Harm::none},
};

}  // namespace

Attempts mounts() { return all_mounts; }
Attempts namespaces() { return all_namespaces; }

}  // namespace attack
