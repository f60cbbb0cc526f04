#include "guard/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

namespace talaria {
namespace {

constexpr uint32_t watched = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_EXCL_UNLINK;
constexpr size_t drain_buffer = 64 << 10;

}  // namespace

FolderWatch FolderWatch::start() {
  FolderWatch watch;
  watch.fd_ = UniqueFd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  return watch;
}

bool FolderWatch::add(int directory, const std::string& path) {
  if (!fd_) return false;
  const int number = ::inotify_add_watch(fd_.get(), ("/proc/self/fd/" + std::to_string(directory)).c_str(), watched);
  if (number >= 0) paths_[number] = path;
  return number >= 0;
}

void FolderWatch::take(const char* bytes, size_t count, Drained& drained) {
  while (count >= sizeof(inotify_event)) {
    inotify_event event;
    std::memcpy(&event, bytes, sizeof event);
    const size_t size = sizeof event + event.len;
    if (size > count) return;
    if (event.mask & IN_Q_OVERFLOW) drained.lost = true;
    const auto folder = paths_.find(event.wd);
    if (event.mask & IN_IGNORED) {
      if (folder != paths_.end()) paths_.erase(folder);
    } else if (folder != paths_.end() && event.len > 0) {
      drained.entries.push_back({folder->second, std::string(bytes + sizeof event)});
    }
    bytes += size;
    count -= size;
  }
}

FolderWatch::Drained FolderWatch::drain() {
  Drained drained;
  alignas(inotify_event) char buffer[drain_buffer];
  while (fd_) {
    const ssize_t count = ::read(fd_.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    take(buffer, static_cast<size_t>(count), drained);
  }
  std::ranges::sort(drained.entries, {}, [](const Entry& entry) { return std::tie(entry.folder, entry.name); });
  drained.entries.erase(std::unique(drained.entries.begin(), drained.entries.end()), drained.entries.end());
  return drained;
}

}  // namespace talaria
