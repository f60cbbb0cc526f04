// Becoming someone else, or more.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <linux/securebits.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "attack.h"

namespace attack {
namespace {

std::string own_path() {
  char path[4096] = {};
  return ::readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? path : "";
}

// As say_who() prints it.
std::string who_we_are() { return output_of({own_path(), "who"}).text; }

void set_ids(Attempt& attempt) {
  for (const uid_t id : {0U, 1U, 33U, 1000U, 65533U}) {
    if (id == ::getuid()) continue;
    const std::string who = std::to_string(id);
    attempt.must_fail("setuid " + who, ::syscall(SYS_setuid, id));
    attempt.must_fail("seteuid " + who, ::syscall(SYS_setresuid, -1, id, -1));
    attempt.must_fail("setresuid " + who, ::syscall(SYS_setresuid, id, id, id));
    attempt.must_fail("setgid " + who, ::syscall(SYS_setgid, id));
    attempt.must_fail("setresgid " + who, ::syscall(SYS_setresgid, id, id, id));
    ::setfsuid(id);
    if (static_cast<uid_t>(::setfsuid(-1)) == id) attempt.broke("setfsuid " + who);
    const gid_t group = id;
    attempt.must_fail("setgroups " + who, ::syscall(SYS_setgroups, 1, &group));
  }
}

void compare(Attempt& attempt, const std::string& what, const Output& output, const std::string& before) {
  if (output.code == 126 || output.code == 127) attempt.note(what + " cannot be run");
  else if (output.text == before) attempt.note(what + " changed nothing");
  else attempt.broke(what + " became " + output.text);
}

// A file of root's with the set-user-ID bit, and one with capabilities: the outside has put them into the workspace.
void setuid_bait(Attempt& attempt) {
  const std::string before = who_we_are();
  for (const char* name : {"setuid", "setgid", "capable"}) {
    const std::string& path = attempt.bait[name];
    if (path.empty()) {
      attempt.note(std::string("no file ") + name);
      continue;
    }
    compare(attempt, path, output_of({path, "who"}), before);
  }
}

void setuid_programs(Attempt& attempt) {
  const std::vector<std::vector<std::string>> programs = {{"su", "-c", "id -u", "root"},
                                                          {"sudo", "-n", "id", "-u"},
                                                          {"passwd", "-d", "root"},
                                                          {"pkexec", "id", "-u"},
                                                          {"newgrp", "root"},
                                                          {"chsh", "-s", "/bin/sh", "root"},
                                                          {"gpasswd", "-a", "nobody", "root"},
                                                          {"chage", "-l", "root"},
                                                          {"mount", "-a"},
                                                          {"at", "now"},
                                                          {"crontab", "-l", "-u", "root"}};
  for (const std::vector<std::string>& argv : programs) {
    const Output output = output_of(argv);
    if (output.code == 0 && output.text.starts_with("0")) attempt.broke(argv[0] + " is root");
    else attempt.note(argv[0] + " ended with " + std::to_string(output.code));
  }
}

// A copy of ourselves that belongs to us and has the bits: it is still only us, inside as outside.
void own_setuid_file(Attempt& attempt) {
  const std::string before = who_we_are();
  for (const std::string folder : {"/tmp", "/dev/shm"}) {
    const std::string path = folder + "/setuid";
    const Output copied = output_of({"cp", own_path(), path});
    if (copied.code != 0) attempt.broke("cannot be tried: " + copied.text);
    attempt.note("chmod " + with_errno(::chmod(path.c_str(), 06755)));
    compare(attempt, path, output_of({path, "who"}), before);
    vfs_cap_data capabilities{};
    capabilities.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
    capabilities.data[0].permitted = ~0U;
    attempt.must_fail("give capabilities to " + path,
                      ::setxattr(path.c_str(), "security.capability", &capabilities, sizeof capabilities, 0));
    attempt.must_fail("give " + path + " to root", ::chown(path.c_str(), 0, 0));
    ::unlink(path.c_str());
  }
}

// Left behind in the workspace, such a file would be its owner's outside: root's, when root runs the sandbox.
void leave_setuid_file(Attempt& attempt) {
  const Output copied = output_of({"cp", own_path(), "left-setuid"});
  if (copied.code != 0) return attempt.broke("cannot be tried: " + copied.text);
  const int fd = ::open("left-setuid", O_RDONLY | O_CLOEXEC);
  const int here = ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::string self = "/proc/self/fd/" + std::to_string(fd);
  int made = 0;
  const auto name = [&made] { return "left-setuid-" + std::to_string(++made); };
  const auto tried = [&](const char* what, long result) { attempt.note(std::string(what) + " " + with_errno(result)); };
  for (const unsigned long bits : {06755UL, 04755UL, 02755UL, 04755UL | 1UL << 32, 04755UL | 0xffffUL << 16}) {
    tried("chmod", ::syscall(SYS_chmod, "left-setuid", bits));
    tried("chmod by /proc", ::syscall(SYS_chmod, self.c_str(), bits));
    tried("fchmod", ::syscall(SYS_fchmod, fd, bits));
    tried("fchmodat", ::syscall(SYS_fchmodat, AT_FDCWD, "left-setuid", bits));
    tried("fchmodat2", ::syscall(452, fd, "", bits, AT_EMPTY_PATH));
    tried("open", ::syscall(SYS_open, name().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, bits));
    tried("openat", ::syscall(SYS_openat, here, name().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, bits));
    tried("creat", ::syscall(SYS_creat, name().c_str(), bits));
    tried("mknod", ::syscall(SYS_mknod, name().c_str(), S_IFREG | bits, 0));
    tried("mknodat", ::syscall(SYS_mknodat, here, name().c_str(), S_IFREG | bits, 0));
    const long nameless = ::syscall(SYS_openat, here, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, bits);
    const std::string link = "/proc/self/fd/" + std::to_string(nameless);
    tried("a nameless file", ::linkat(AT_FDCWD, link.c_str(), here, name().c_str(), AT_SYMLINK_FOLLOW));
    const uint64_t how[3] = {O_WRONLY | O_CREAT | O_CLOEXEC, bits & 07777, 0};
    tried("openat2", ::syscall(SYS_openat2, here, name().c_str(), how, sizeof how));
  }
  ::close(fd);
}

void capabilities(Attempt& attempt) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct now[2] = {};
  ::syscall(SYS_capget, &header, now);
  if (now[0].effective || now[0].permitted || now[1].permitted) attempt.broke("has capabilities");
  for (const uint32_t mask : {1U << CAP_SYS_ADMIN, 1U << CAP_DAC_OVERRIDE, 1U << CAP_SYS_PTRACE, ~0U}) {
    const __user_cap_data_struct more[2] = {{mask, mask, mask}, {}};
    attempt.must_fail("capset", ::syscall(SYS_capset, &header, more));
    const __user_cap_data_struct inheritable[2] = {{0, 0, mask}, {}};
    attempt.must_fail("capset inheritable", ::syscall(SYS_capset, &header, inheritable));
  }
  for (const long capability : {CAP_CHOWN, CAP_NET_ADMIN, CAP_SYS_ADMIN}) {
    attempt.must_fail("raise ambient", ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0));
    if (::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1) attempt.broke("bounding set holds a capability");
  }
}

void process_flags(Attempt& attempt) {
  attempt.must_fail("keep capabilities", ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
  attempt.must_fail("secure bits", ::prctl(PR_SET_SECUREBITS, 0, 0, 0, 0));
  attempt.must_fail("new privileges again", ::prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) attempt.broke("may gain privileges");
  attempt.must_fail("another program in our name", ::prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, 0, 0, 0));
  attempt.must_fail("strict seccomp off", ::prctl(PR_SET_SECCOMP, 0, 0, 0, 0));
  attempt.must_fail("io flusher", ::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0));
}

// The programs that hold the sandbox must not be writable from inside it.
void our_program(Attempt& attempt) {
  for (const std::string path : {"/proc/1/exe", "/proc/2/exe", "/proc/self/exe"}) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    attempt.must_fail("open to write " + path, fd);
    attempt.must_fail("truncate " + path, ::truncate(path.c_str(), 0));
    const int reading = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    const std::string again = "/proc/self/fd/" + std::to_string(reading);
    attempt.must_fail("reopen to write " + path, ::open(again.c_str(), O_WRONLY | O_CLOEXEC));
    ::close(reading);
  }
  for (const char* name : {"gateway_program", "keeper_program"}) {
    if (!attempt.bait[name].empty()) attempt.must_not_open_to_write(attempt.bait[name]);
  }
}

constexpr NamedAttempt all[] = {
    {"set_ids", set_ids},
    {"setuid_bait", setuid_bait},
    {"setuid_programs", setuid_programs},
    {"own_setuid_file", own_setuid_file},
    {"leave_setuid_file", leave_setuid_file, Harm::none},
    {"capabilities", capabilities},
    {"process_flags", process_flags, Harm::none},
    {"our_program", our_program},
};

}  // namespace

Attempts privileges() { return all; }

}  // namespace attack
