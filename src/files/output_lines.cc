#include "files/output_lines.h"

#include <algorithm>

namespace talaria {
namespace {
constexpr size_t most_behind_mark = 64;
}

void OutputLines::keep(std::string_view part) {
  const size_t room = most_ - std::min(most_, pending_.size());
  pending_ += part.substr(0, room);
  if (part.size() <= room) return;
  if (!cut_) window_ = pending_.substr(pending_.size() - std::min(pending_.size(), mark_.size()));
  cut_ = true;
  if (!mark_.empty()) look_for_mark(part.substr(room));
}

void OutputLines::look_for_mark(std::string_view part) {
  if (!found_) {
    window_ += part;
    const size_t at = window_.find(mark_);
    found_ = at != std::string::npos;
    if (found_) behind_mark_ = window_.substr(at + mark_.size(), most_behind_mark);
    window_.erase(0, window_.size() - std::min(window_.size(), mark_.size()));
    return;
  }
  behind_mark_ += part.substr(0, most_behind_mark - std::min(most_behind_mark, behind_mark_.size()));
}

void OutputLines::feed(std::string_view output, const Take& take) {
  while (!output.empty()) {
    const size_t end = output.find(separator_);
    if (end == std::string_view::npos) return keep(output);
    const std::string_view part = output.substr(0, end);
    if (pending_.empty() && part.size() <= most_) {
      take({part});
    } else {
      keep(part);
      take({pending_, !cut_, behind_mark_});
      pending_.clear();
      window_.clear();
      behind_mark_.clear();
      cut_ = found_ = false;
    }
    output.remove_prefix(end + 1);
  }
}

}  // namespace talaria
