// Writing outside the workspace.
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>

#include "attack.h"

namespace attack {
namespace {

constexpr const char* system_folders[] = {"/",           "/etc",           "/usr",     "/usr/bin", "/usr/local/bin",
                                          "/var",        "/opt",           "/var/lib", "/srv",     "/var/spool/cron",
                                          "/var/log",    "/home",          "/root",    "/run",     "/sys",
                                          "/etc/cron.d", "/proc",          "/dev",     "/mnt",     "/media",
                                          "/lib",        "/etc/profile.d", "/boot",    "/run/user"};
// Opened, never written: whether they open says enough.
constexpr const char* system_files[] = {"/etc/passwd",      "/etc/group",   "/etc/hosts",
                                        "/etc/ld.so.cache", "/usr/bin/env", "/etc/profile",
                                        "/etc/crontab",     "/bin/sh",      "/etc/bash.bashrc"};

std::string outside_file(const Attempt& attempt) { return attempt.bait["outside"] + "/bait"; }
std::string mark(const Attempt& attempt) { return "talaria-attack-" + attempt.bait["tag"]; }

// Files that are there to be changed: outside, in the person's home, in ours, and in a place that is shown.
std::vector<std::string> bait_files(const Attempt& attempt) {
  std::vector<std::string> files = {outside_file(attempt), attempt.bait["home"] + "/home-bait",
                                    attempt.bait["own"] + "/own-bait"};
  if (!attempt.bait["shown"].empty()) files.push_back(attempt.bait["shown"] + "/bait");
  return files;
}

void create(Attempt& attempt, const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  attempt.must_fail("create " + path, fd);
  undo_file(fd, path);
}

void absolute(Attempt& attempt) {
  for (const std::string& file : bait_files(attempt)) {
    attempt.must_not_open_to_write(file);
    attempt.must_fail("truncate " + file, ::truncate(file.c_str(), 0));
  }
  create(attempt, attempt.bait["outside"] + "/" + mark(attempt));
  if (!attempt.bait["shown"].empty()) create(attempt, attempt.bait["shown"] + "/" + mark(attempt));
}

void system_places(Attempt& attempt) {
  for (const char* file : system_files) attempt.must_not_open_to_write(file);
  for (const std::string folder : system_folders) {
    const std::string path = folder + "/" + mark(attempt);
    create(attempt, path);
    if (!attempt.must_fail("make a directory in " + folder, ::mkdir(path.c_str(), 0777))) ::rmdir(path.c_str());
  }
}

// ".." must end at the same walls. The private home around the workspace may be written to: there is no bait in it.
void dot_dot(Attempt& attempt) {
  const int here = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  std::string up;
  for (int level = 0; level < 12; ++level) {
    up += "../";
    const std::string path = up + outside_file(attempt).substr(1);
    attempt.must_fail("openat " + path, ::openat(here, path.c_str(), O_WRONLY | O_CLOEXEC));
    attempt.must_fail("openat " + up + "home-bait", ::openat(here, (up + "home-bait").c_str(), O_WRONLY | O_CLOEXEC));
    attempt.must_fail("openat " + up + "etc/passwd", ::openat(here, (up + "etc/passwd").c_str(), O_RDWR | O_CLOEXEC));
  }
}

void symbolic_link(Attempt& attempt) {
  std::vector<std::string> targets = bait_files(attempt);
  targets.push_back("/proc/self/root" + outside_file(attempt));
  for (const std::string& target : targets) {
    ::unlink("link");
    if (::symlink(target.c_str(), "link") != 0) continue;
    attempt.must_not_open_to_write("link");
    attempt.must_fail("truncate through a link to " + target, ::truncate("link", 0));
    attempt.must_fail("chmod through a link to " + target, ::chmod("link", 0777));
  }
  ::unlink("link");
  const std::string missing = attempt.bait["outside"] + "/" + mark(attempt);
  if (::symlink(missing.c_str(), "link") == 0) {
    const int fd = ::open("link", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    attempt.must_fail("create through a dangling link", fd);
    undo_file(fd, missing);
  }
  ::unlink("link");
}

void hard_link(Attempt& attempt) {
  for (const std::string& target : bait_files(attempt)) {
    attempt.must_fail("link " + target, ::link(target.c_str(), "hard"));
    const int fd = ::open(target.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) continue;
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    attempt.must_fail("link by /proc " + target, ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, "hard", AT_SYMLINK_FOLLOW));
    attempt.must_fail("link by descriptor " + target, ::linkat(fd, "", AT_FDCWD, "hard", AT_EMPTY_PATH));
    attempt.must_fail("reopen to write " + target, ::open(self.c_str(), O_WRONLY | O_CLOEXEC));
    ::close(fd);
  }
  ::unlink("hard");
}

void nameless_file(Attempt& attempt) {
  for (const char* folder : {".", "/tmp", "/dev/shm"}) {
    const int fd = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0) continue;
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    for (const std::string& target : {attempt.bait["outside"], std::string("/etc"), std::string("/usr/bin")}) {
      const std::string path = target + "/" + mark(attempt);
      const int linked = ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
      if (!attempt.must_fail("link a nameless file to " + path, linked)) ::unlink(path.c_str());
    }
    ::close(fd);
  }
  for (const char* folder : {"/etc", "/usr", "/var", "/opt"}) {
    attempt.must_fail(std::string("nameless file in ") + folder, ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
  }
}

void by_proc(Attempt& attempt) {
  const std::string pids[] = {"self",
                              "thread-self",
                              "1",
                              "2",
                              std::to_string(::getppid()),
                              attempt.bait["victim"],
                              attempt.bait["gateway"],
                              attempt.bait["keeper"]};
  for (const std::string& pid : pids) {
    for (const std::string way : {"/root", "/cwd", "/cwd/..", "/cwd/../..", "/cwd/../../.."}) {
      attempt.must_not_open_to_write("/proc/" + pid + way + outside_file(attempt));
      attempt.must_not_open_to_write("/proc/" + pid + way + "/etc/passwd");
      attempt.must_not_read("/proc/" + pid + way + "/home-bait");
    }
  }
}

void rename_across(Attempt& attempt) {
  const int fd = ::open("moved", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0) ::close(fd);
  for (const std::string& folder : {attempt.bait["outside"], attempt.bait["shown"], attempt.bait["own"]}) {
    if (folder.empty()) continue;
    const std::string there = folder + "/" + mark(attempt);
    if (!attempt.must_fail("rename to " + there, ::rename("moved", there.c_str()))) ::rename(there.c_str(), "moved");
  }
  for (const std::string& file : bait_files(attempt)) {
    attempt.must_fail("exchange with " + file,
                      ::syscall(SYS_renameat2, AT_FDCWD, "moved", AT_FDCWD, file.c_str(), RENAME_EXCHANGE));
    attempt.must_fail("rename from " + file, ::rename(file.c_str(), "taken"));
    attempt.must_fail("unlink " + file, ::unlink(file.c_str()));
  }
  ::unlink("moved");
}

// A private folder may be in the way of the workspace's own name, so this is for a sandbox only.
void move_workspace(Attempt& attempt) {
  attempt.must_fail("rename the workspace", ::rename(attempt.bait["workspace"].c_str(), "/tmp/gone"));
  attempt.must_fail("remove the workspace", ::rmdir(attempt.bait["workspace"].c_str()));
}

void metadata(Attempt& attempt) {
  for (const std::string& file : bait_files(attempt)) {
    const char* path = file.c_str();
    attempt.must_fail("chmod " + file, ::chmod(path, 0777));
    attempt.must_fail("chown " + file, ::chown(path, ::getuid(), ::getgid()));
    attempt.must_fail("utimes " + file, ::utimes(path, nullptr));
    attempt.must_fail("setxattr " + file, ::setxattr(path, "user.talaria", "x", 1, 0));
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    int flags = FS_NODUMP_FL;
    attempt.must_fail("fchmod " + file, ::fchmod(fd, 0777));
    attempt.must_fail("futimens " + file, ::futimens(fd, nullptr));
    attempt.must_fail("set inode flags of " + file, ::ioctl(fd, FS_IOC_SETFLAGS, &flags));
    attempt.must_fail("fallocate " + file, ::fallocate(fd, 0, 0, 1));
    ::close(fd);
  }
}

void write_by_memory(Attempt& attempt) {
  std::vector<std::string> files = bait_files(attempt);
  files.push_back(".mcp.json");
  for (const std::string& file : files) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      attempt.must_fail("open " + file, fd);
      continue;
    }
    void* writable = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    attempt.must_fail("map to write " + file, writable == MAP_FAILED ? -1 : 0);
    void* memory = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED) {
      attempt.must_fail("make a mapping writable of " + file, ::mprotect(memory, 4096, PROT_READ | PROT_WRITE));
    }
    // Private pages written by /proc/self/mem must stay private.
    void* copy = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    const int self = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (copy != MAP_FAILED && ::pwrite(self, "X", 1, reinterpret_cast<off_t>(copy)) == 1) {
      char now = 0;
      if (::pread(fd, &now, 1, 0) == 1 && now == 'X') attempt.broke("written by /proc/self/mem: " + file);
    }
    ::close(self);
    ::close(fd);
  }
}

// A page of a file in a pipe must not be written by the next write to the pipe.
void write_by_pipe(Attempt& attempt) {
  std::vector<std::string> files = bait_files(attempt);
  files.push_back(".mcp.json");
  for (const std::string& file : files) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    int ends[2];
    if (fd < 0 || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) continue;
    const std::string before = text_of(file);
    char fill[4096] = {};
    while (::write(ends[1], fill, sizeof fill) > 0) {
    }
    while (::read(ends[0], fill, sizeof fill) > 0) {
    }
    off64_t start = 0;
    if (::splice(fd, &start, ends[1], nullptr, 1, 0) == 1) (void)!::write(ends[1], "XXXX", 4);
    if (text_of(file) == before) attempt.note(file + " is as it was");
    else attempt.broke("written by a pipe: " + file);
    ::close(fd);
  }
}

std::atomic<bool> race_is_over = false;

void* swap_names(void*) {
  while (!race_is_over) ::syscall(SYS_renameat2, AT_FDCWD, "race", AT_FDCWD, "race-link", RENAME_EXCHANGE);
  return nullptr;
}

// A directory that is now a directory and now a link to the outside, while files are made in it.
void link_race(Attempt& attempt) {
  ::mkdir("race", 0777);
  if (::symlink(attempt.bait["outside"].c_str(), "race-link") != 0) attempt.note("no link: " + with_errno(-1));
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, swap_names, nullptr) != 0) return attempt.note("no thread");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  const std::string name = "race/" + mark(attempt);
  long made = 0, reached = 0;
  while (std::chrono::steady_clock::now() < end) {
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) ++made;
    if (fd >= 0) ::close(fd);
    const int bait = ::open("race/bait", O_WRONLY | O_CLOEXEC);
    if (bait >= 0) ++reached;
    if (bait >= 0) ::close(bait);
    ::unlink(name.c_str());
  }
  race_is_over = true;
  ::pthread_join(thread, nullptr);
  if (reached > 0) attempt.broke("opened the bait " + std::to_string(reached) + " times");
  attempt.note("made " + std::to_string(made) + " files, none of them outside");
}

void make_nodes(Attempt& attempt) {
  const struct {
    const char* what;
    mode_t kind;
    dev_t device;
  } nodes[] = {{"/dev/mem", S_IFCHR, ::makedev(1, 1)},
               {"/dev/null", S_IFCHR, ::makedev(1, 3)},
               {"/dev/vda", S_IFBLK, ::makedev(254, 0)},
               {"/dev/sda", S_IFBLK, ::makedev(8, 0)}};
  for (const std::string folder : {".", "/tmp", "/dev/shm", "/dev"}) {
    const std::string path = folder + "/" + mark(attempt) + "-node";
    for (const auto& [what, kind, device] : nodes) {
      const int made = ::mknod(path.c_str(), kind | 0600, device);
      if (!attempt.must_fail(std::string("make ") + what + " in " + folder, made)) ::unlink(path.c_str());
    }
  }
}

// The handle of a directory opens the file system around it, past every mount.
void open_by_handle(Attempt& attempt) {
  alignas(struct file_handle) char space[sizeof(struct file_handle) + MAX_HANDLE_SZ] = {};
  auto* handle = reinterpret_cast<struct file_handle*>(space);
  for (const char* path : {".", "/", "/etc", "/usr", "/tmp"}) {
    const int place = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    handle->handle_bytes = MAX_HANDLE_SZ;
    int mount = 0;
    if (::name_to_handle_at(place, "", handle, &mount, AT_EMPTY_PATH) == 0 || errno == EOPNOTSUPP) {
      attempt.must_be_filtered(std::string("open a handle of ") + path, ::open_by_handle_at(place, handle, O_RDONLY));
      // The root of most file systems is inode 2.
      const uint32_t root[2] = {2, 0};
      handle->handle_bytes = 8;
      handle->handle_type = 1;
      __builtin_memcpy(handle->f_handle, root, sizeof root);
      attempt.must_be_filtered(std::string("open inode 2 of ") + path, ::open_by_handle_at(place, handle, O_RDONLY));
    }
    ::close(place);
  }
}

constexpr NamedAttempt all[] = {
    {"absolute", absolute, Harm::none},   {"system_places", system_places},
    {"dot_dot", dot_dot, Harm::none},     {"symbolic_link", symbolic_link, Harm::none},
    {"hard_link", hard_link, Harm::none}, {"nameless_file", nameless_file},
    {"by_proc", by_proc, Harm::none},     {"rename_across", rename_across, Harm::none},
    {"move_workspace", move_workspace},   {"metadata", metadata, Harm::none},
    {"write_by_memory", write_by_memory}, {"write_by_pipe", write_by_pipe},
    {"link_race", link_race, Harm::none}, {"make_nodes", make_nodes},
    {"open_by_handle", open_by_handle},
};

}  // namespace

Attempts files() { return all; }

}  // namespace attack
