#include "os/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr off_t most_bytes = 4 << 20;

std::string time_now() {
  const EpochMs now = epoch_ms();
  const time_t seconds = static_cast<time_t>(now / 1000);
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[64];
  const size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(now % 1000));
  return text;
}

bool same_file(int a, int b) {
  struct stat first {
  }, second{};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

Result<Log> Log::open(const std::string& path) {
  Log log(path, TRY(open_file(path, O_WRONLY | O_APPEND | O_CREAT)));
  log.rotate_if_full();
  return log;
}

Log Log::open_or_without(const std::string& path) {
  Result<Log> log = open(path);
  if (log) return *std::move(log);
  Log none(path, UniqueFd());
  none.warning("no log is kept: " + log.error().message());
  return none;
}

void Log::rotate_if_full() {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0 || info.st_size < most_bytes) return;
  if (::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) return;
  Result<UniqueFd> fresh = open_file(path_, O_WRONLY | O_APPEND | O_CREAT);
  if (!fresh) return;
  // What the program prints by itself must not go on into the old file.
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (same_file(stream, fd_.get())) ::dup2(fresh->get(), stream);
  }
  fd_ = std::move(*fresh);
}

void Log::write(std::string_view level, std::string_view text) {
  std::string line = time_now() + " " + std::string(level) + " ";
  for (const char c : text) line += c == '\n' ? ' ' : c;  // one event, one line
  line += '\n';
  // A log that cannot be written must not stop the work it tells of.
  if (fd_) (void)write_all(fd_.get(), line);
  if (!fd_ || !same_file(STDERR_FILENO, fd_.get())) (void)write_all(STDERR_FILENO, line);
  rotate_if_full();
}

}  // namespace talaria
