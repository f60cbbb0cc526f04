// Changing the machine by the files the kernel shows, and reading it through them.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "attack.h"

namespace attack {
namespace {

bool is_null_device(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == ::makedev(1, 3);
}

// Opens, and writes only when told a text that changes nothing where it is let through.
void try_to_write(Attempt& attempt, const std::string& path, const std::string& text = {}) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd >= 0 && is_null_device(path)) attempt.note(path + " is covered");
  else if (!attempt.must_fail("open to write " + path, fd) && !text.empty())
    (void)!::write(fd, text.data(), text.size());
  if (fd >= 0) ::close(fd);
}

// Programs the kernel runs as root when something happens.
void programs_it_runs(Attempt& attempt) {
  const std::string paths[] = {"/proc/sys/kernel/core_pattern",
                               "/proc/sys/kernel/modprobe",
                               "/proc/sys/kernel/hotplug",
                               "/proc/sys/kernel/poweroff_cmd",
                               "/proc/sys/kernel/usermodehelper/bset",
                               "/sys/kernel/uevent_helper",
                               "/proc/sys/fs/binfmt_misc/register",
                               "/proc/sys/fs/binfmt_misc/status",
                               "/sys/fs/cgroup/release_agent",
                               "/sys/fs/cgroup/memory/release_agent",
                               "/sys/fs/cgroup/pids/release_agent",
                               "/sys/fs/cgroup/unified/cgroup.procs",
                               "/proc/self/root/proc/sys/kernel/core_pattern",
                               "/proc/1/root/proc/sys/kernel/core_pattern"};
  for (const std::string& path : paths) attempt.must_not_open_to_write(path);
}

// Every setting there is.
void all_settings(Attempt& attempt) {
  int seen = 0;
  for (const std::string& path : tree_of("/proc/sys", 4000)) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    try_to_write(attempt, path);
    ++seen;
  }
  if (seen < 100) attempt.broke("only " + std::to_string(seen) + " settings are there to try");
}

void all_of_sys(Attempt& attempt) {
  for (const std::string& path : tree_of("/sys", 20000)) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || !(status.st_mode & 0222)) continue;
    try_to_write(attempt, path);
  }
  try_to_write(attempt, "/sys/power/state");
  try_to_write(attempt, "/sys/kernel/mm/transparent_hugepage/enabled");
}

// What lies in /proc beside the processes.
void all_of_proc(Attempt& attempt) {
  for (const std::string& name : names_in("/proc")) {
    if (name.find_first_of("0123456789") == 0 || name == "self" || name == "thread-self" || name == "sys") continue;
    std::vector<std::string> paths = tree_of("/proc/" + name, 500);
    paths.push_back("/proc/" + name);
    for (const std::string& path : paths) {
      struct stat status {};
      if (path.starts_with("/proc/pressure/") || ::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        continue;
      try_to_write(attempt, path);
    }
  }
}

// 'h' asks for help, which the kernel writes to its own log.
void sysrq(Attempt& attempt) {
  try_to_write(attempt, "/proc/sysrq-trigger", "h");
  try_to_write(attempt, "/proc/sys/kernel/sysrq");
}

void kernel_memory(Attempt& attempt) {
  for (const std::string path : {"/proc/kcore", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/kpagemap", "/proc/kmsg",
                                 "/dev/kmsg", "/proc/vmcore", "/proc/kpageflags", "/proc/kpagecount"}) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
      attempt.must_fail("open " + path, fd);
    } else {
      if (is_null_device(path)) attempt.note(path + " is covered");
      else attempt.broke("open " + path);
      ::close(fd);
    }
  }
  const std::string symbols = text_of("/proc/kallsyms", 4096);
  const size_t address = symbols.find_first_not_of("0");
  if (!symbols.empty() && address < 16 && symbols[address] != ' ') attempt.broke("addresses in /proc/kallsyms");
}

void listings(Attempt& attempt) {
  for (const std::string path : {"/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/sched_debug",
                                 "/proc/vmallocinfo", "/proc/latency_stats", "/sys/kernel/debug/x"}) {
    if (text_of(path).empty()) attempt.note(path + " is empty");
    else attempt.broke("read " + path);
  }
  for (const std::string folder :
       {"/sys/kernel/debug", "/sys/kernel/tracing", "/sys/firmware", "/sys/kernel/security"}) {
    if (names_in(folder).empty()) attempt.note(folder + " is empty");
    else attempt.broke("list " + folder);
  }
}

void cgroups(Attempt& attempt) {
  for (const std::string folder : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory",
                                   "/sys/fs/cgroup/pids", "/sys/fs/cgroup/cpu"}) {
    const std::string group = folder + "/talaria-attack";
    if (!attempt.must_fail("make a group in " + folder, ::mkdir(group.c_str(), 0755))) ::rmdir(group.c_str());
    for (const std::string name : {"/cgroup.procs", "/tasks", "/notify_on_release", "/memory.max", "/cgroup.kill"}) {
      try_to_write(attempt, folder + name);
    }
  }
}

// The kernel kills us last.
void out_of_memory_score(Attempt& attempt) {
  for (const char* text : {"-1000", "-17", "-1"}) {
    const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (attempt.must_fail(std::string("oom_score_adj ") + text, fd < 0 ? -1 : ::write(fd, text, std::strlen(text)))) {
      ::close(fd);
    }
  }
  try_to_write(attempt, "/proc/1/oom_score_adj");
}

void own_maps(Attempt& attempt) {
  for (const std::string process : {"self", "1", "2"}) {
    for (const std::string name : {"uid_map", "gid_map", "setgroups", "timens_offsets"}) {
      const std::string path = "/proc/" + process + "/" + name;
      const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      const std::string text = name == "setgroups" ? "allow" : "0 0 1\n";
      attempt.must_fail("write " + path, fd < 0 ? -1 : ::write(fd, text.data(), text.size()));
      if (fd >= 0) ::close(fd);
    }
  }
}

constexpr NamedAttempt all[] = {
    {"programs_it_runs", programs_it_runs},
    {"all_settings", all_settings},
    {"all_of_sys", all_of_sys},
    {"all_of_proc", all_of_proc},
    {"sysrq", sysrq},
    {"kernel_memory", kernel_memory},
    {"listings", listings},
    {"cgroups", cgroups},
    {"out_of_memory_score", out_of_memory_score},
    {"own_maps", own_maps},
};

// --- devices ---

void disks(Attempt& attempt) {
  for (const std::string path : {"/dev/sda", "/dev/sda1", "/dev/vda", "/dev/vda1", "/dev/vdb", "/dev/nvme0n1",
                                 "/dev/xvda", "/dev/dm-0", "/dev/loop0", "/dev/ram0", "/dev/mmcblk0", "/dev/root"}) {
    attempt.must_fail("open " + path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    attempt.must_not_open_to_write(path);
  }
}

void special(Attempt& attempt) {
  for (const std::string path : {"/dev/fuse",          "/dev/loop-control",
                                 "/dev/kvm",           "/dev/net/tun",
                                 "/dev/vhost-net",     "/dev/vhost-vsock",
                                 "/dev/vsock",         "/dev/uinput",
                                 "/dev/input/event0",  "/dev/dri/card0",
                                 "/dev/fb0",           "/dev/snd/timer",
                                 "/dev/rtc0",          "/dev/hpet",
                                 "/dev/watchdog",      "/dev/userfaultfd",
                                 "/dev/uhid",          "/dev/cuse",
                                 "/dev/btrfs-control", "/dev/mapper/control",
                                 "/dev/rfkill",        "/dev/ppp",
                                 "/dev/mcelog",        "/dev/nvram",
                                 "/dev/cpu/0/msr",     "/dev/cpu_dma_latency",
                                 "/dev/hwrng",         "/dev/tpm0",
                                 "/dev/autofs",        "/dev/vfio/vfio",
                                 "/dev/log",           "/dev/initctl",
                                 "/dev/shm/../kmsg",   "/dev/mqueue"}) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    attempt.must_fail("open " + path, fd);
    if (fd >= 0) ::close(fd);
  }
}

// A few harmless devices and nothing else.
void whole_folder(Attempt& attempt) {
  const std::string harmless = " null zero full random urandom tty ptmx pts fd stdin stdout stderr shm core ";
  for (const std::string& name : names_in("/dev")) {
    if (harmless.find(" " + name + " ") == std::string::npos) attempt.broke("there is /dev/" + name);
  }
  const int fd = ::open("/dev/talaria-attack", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  attempt.must_fail("make a file in /dev", fd);
  undo_file(fd, "/dev/talaria-attack");
}

constexpr NamedAttempt all_devices[] = {
    {"disks", disks}, {"special", special}, {"whole_folder", whole_folder, Harm::none}};

}  // namespace

Attempts kernel() { return all; }
Attempts devices() { return all_devices; }

}  // namespace attack
