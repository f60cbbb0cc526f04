#include "store/database_holder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

#include "base/text.h"
#include "os/file.h"

namespace talaria {
namespace {

// Where SQLite locks for writing, in the -shm file of a database (its WALINDEX_LOCK_OFFSET).
constexpr uint64_t write_lock_byte = 120;

}  // namespace

std::string shown(const DatabaseHolder& holder) {
  return (holder.name.empty() ? "another process" : holder.name) + " (pid " + std::to_string(holder.pid) + ")";
}

// "1: POSIX  ADVISORY  WRITE 4711 fe:01:1234 120 120"; what waits for a lock has "->" in it.
pid_t lock_owner_in(std::string_view locks, ino_t inode, uint64_t byte, pid_t not_this) {
  std::istringstream lines{std::string(locks)};
  for (std::string line; std::getline(lines, line);) {
    if (line.find("->") != std::string::npos) continue;
    std::istringstream words(line);
    std::string number, family, kind, access, file, end;
    pid_t pid = 0;
    uint64_t first = 0;
    if (!(words >> number >> family >> kind >> access >> pid >> file >> first >> end)) continue;
    const size_t colon = file.find_last_of(':');
    if (access != "WRITE" || pid <= 0 || pid == not_this || colon == std::string::npos) continue;
    if (file.substr(colon + 1) != std::to_string(inode) || first > byte) continue;
    if (end == "EOF" || std::strtoull(end.c_str(), nullptr, 10) >= byte) return pid;
  }
  return 0;
}

std::optional<DatabaseHolder> find_database_holder(const std::string& database) {
  struct stat info {};
  if (::stat((database + "-shm").c_str(), &info) != 0) return {};
  const Result<std::string> locks = read_file("/proc/locks");
  if (!locks) return {};
  const pid_t pid = lock_owner_in(*locks, info.st_ino, write_lock_byte, ::getpid());
  if (pid == 0) return {};
  const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
  return DatabaseHolder{pid, name ? std::string(trim(*name)) : ""};
}

}  // namespace talaria
