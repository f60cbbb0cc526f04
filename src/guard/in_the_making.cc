#include "guard/in_the_making.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace talaria {
namespace {

bool was_written_within(Clock::duration time, int root, const std::string& path) {
  struct stat status {};
  timespec now{};
  if (::fstatat(root, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0)
    return false;
  const auto since = std::chrono::seconds(now.tv_sec - status.st_ctim.tv_sec) +
                     std::chrono::nanoseconds(now.tv_nsec - status.st_ctim.tv_nsec);
  return since < time;
}

}  // namespace

bool InTheMaking::is(const std::string& path, const std::vector<std::string>& files, int root, Look look) {
  const bool fresh = look == Look::hasty && std::ranges::any_of(files, [&](const std::string& file) {
                       return was_written_within(times_.quiet, root, file);
                     });
  if (!fresh) {
    noticed_.erase(path);
    return false;
  }
  const auto noticed = noticed_.try_emplace(path, Clock::now()).first;
  if (Clock::now() - noticed->second < times_.longest) return true;
  noticed_.erase(noticed);
  return false;
}

}  // namespace talaria
