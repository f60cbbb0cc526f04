#include "files/version_book.h"

#include <algorithm>

#include "base/clock.h"

namespace talaria {

FileVersion version_of(const FileStat& stat) { return {stat.device, stat.inode, stat.size, stat.modified_ns}; }

void VersionBook::saw(const std::string& real_path, const FileVersion& version, std::string sha256) {
  const int64_t now = epoch_ms() * 1'000'000;
  const std::lock_guard lock(mutex_);
  files_[real_path] = {{version, std::move(sha256), now}, ++turns_};
  removed_.erase(real_path);
  if (files_.size() <= most_files) return;
  const auto older = [](const auto& a, const auto& b) { return a.second.turn < b.second.turn; };
  files_.erase(std::min_element(files_.begin(), files_.end(), older));
}

void VersionBook::forget(const std::string& real_path) {
  const std::lock_guard lock(mutex_);
  files_.erase(real_path);
}

void VersionBook::removed(const std::string& real_path) {
  const std::lock_guard lock(mutex_);
  files_.erase(real_path);
  if (removed_.size() >= most_files) removed_.clear();
  removed_.insert(real_path);
}

bool VersionBook::was_removed(const std::string& real_path) const {
  const std::lock_guard lock(mutex_);
  return removed_.contains(real_path);
}

std::optional<SeenFile> VersionBook::find(const std::string& real_path) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(real_path);
  if (found == files_.end()) return std::nullopt;
  return found->second.seen;
}

bool is_doubtful(const SeenFile& seen) {
  constexpr int64_t coarsest_clock_ns = 2'000'000'000;
  return seen.seen_ns - seen.version.modified_ns < coarsest_clock_ns;
}

}  // namespace talaria
