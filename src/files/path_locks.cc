#include "files/path_locks.h"
#include "base/unseen.h"

#include <algorithm>

namespace talaria {

PathLocks::Hold::~Hold() {
  if (!locks_) return;
  {
    const std::lock_guard lock(locks_->mutex_);
    for (const std::string& path : paths_) locks_->held_.erase(path);
  }
  locks_->freed_.notify_all();
}

bool PathLocks::are_free(const std::vector<std::string>& paths) const {
  return std::ranges::none_of(paths, [&](const std::string& path) { return held_.contains(path); });
}

Result<PathLocks::Hold> PathLocks::hold(std::vector<std::string> paths, std::chrono::milliseconds patience) {
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::unique_lock lock(mutex_);
  if (!freed_.wait_until(lock, Clock::now() + patience, [&] { return are_free(paths); })) {
    return Error(ErrorCode::timed_out, "another call has been writing " + shown_line(paths.front()) +
                                           " for too long; try again when it is done");
  }
  held_.insert(paths.begin(), paths.end());
  return Hold(*this, std::move(paths));
}

}  // namespace talaria
