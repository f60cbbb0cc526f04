#include "os/lock_holder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "os/fd.h"
#include "os/file.h"

namespace talaria {
namespace {

bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0 || errno == EPERM; }

// One line of /proc/locks: "7: FLOCK  ADVISORY  WRITE 4711 fe:00:11001939 0 EOF"; who waits for it has a "->" more.
pid_t listed_holder(const std::string& locks, const struct stat& file) {
  char place[64];
  std::snprintf(place, sizeof place, "%02x:%02x:%llu", major(file.st_dev), minor(file.st_dev),
                static_cast<unsigned long long>(file.st_ino));
  std::istringstream lines(locks);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, access, where;
    pid_t pid = 0;
    if (!(words >> number >> kind >> advisory >> access >> pid >> where)) continue;
    if (kind == "FLOCK" && where == place && pid > 0) return pid;
  }
  return 0;
}

pid_t signed_by(int fd) {
  char text[16] = {};
  if (::pread(fd, text, sizeof text - 1, 0) <= 0) return 0;
  const long pid = std::strtol(text, nullptr, 10);
  return pid > 1 && is_alive(static_cast<pid_t>(pid)) ? static_cast<pid_t>(pid) : 0;
}

}  // namespace

Result<LockHolder> holder_of(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return LockHolder();
  struct stat file {};
  if (!fd || ::fstat(fd.get(), &file) != 0) return Error::from_errno("look at " + path);
  const Result<std::string> locks = read_file("/proc/locks");
  if (const pid_t pid = locks ? listed_holder(*locks, file) : 0) return LockHolder{true, pid};
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return LockHolder();
  if (errno != EWOULDBLOCK) return Error::from_errno("look at the lock " + path);
  return LockHolder{true, signed_by(fd.get())};
}

bool is_our_program(pid_t pid, const std::string& name) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const Result<std::string> called = read_file(folder + "/comm"), status = read_file(folder + "/status");
  if (!called || !status || *called != name + "\n") return false;
  const std::string own = "\nUid:\t" + std::to_string(::geteuid()) + "\t";
  return status->find(own) != std::string::npos && is_alive(pid);
}

}  // namespace talaria
