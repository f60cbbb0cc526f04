#include "files/path_page.h"

namespace talaria {

void PathPage::add(std::string path, uint64_t count) {
  ++paths_;
  total_ += count;
  if (paths_ <= skipped_) return;
  const bool full = kept_.size() >= most_;
  if (full && (kept_.empty() || PathOrder()(kept_.rbegin()->first, path))) return;
  kept_.emplace(std::move(path), count);
  if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
}

std::vector<std::pair<std::string, uint64_t>> PathPage::page() const {
  std::vector<std::pair<std::string, uint64_t>> page;
  uint64_t index = 0;
  for (const auto& entry : kept_) {
    if (index++ >= unshown_) page.emplace_back(entry);
  }
  return page;
}

}  // namespace talaria
