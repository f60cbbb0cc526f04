#include "api/log_view.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>

#include "base/text.h"
#include "base/utf8.h"
#include "process/clean_text.h"

namespace talaria {
namespace {

constexpr size_t read_size = 256 << 10;
constexpr size_t longest_line = 1 << 20;  // a longer one is shown in pieces

// Calls `each` with every line of the cleaned log. Where bytes are lost, a line of ours says so.
Result<> for_each_line(const ByteSource& source, const std::function<void(std::string_view)>& each) {
  TextCleaner cleaner;
  std::string line;
  const auto take = [&](std::string_view text) {
    while (!text.empty()) {
      const size_t end = text.find('\n');
      line.append(text.substr(0, end));
      if (end == std::string_view::npos && line.size() < longest_line) return;
      each(line);
      line.clear();
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  };
  for (uint64_t offset = 0; offset < source.size;) {
    if (offset >= source.lost_begin && offset < source.lost_end) {
      take(cleaner.finish());
      if (!line.empty()) take("\n");
      each("[… " + with_commas(source.lost_end - offset) + " bytes are no longer kept …]");
      offset = source.lost_end;
      continue;
    }
    const uint64_t end = offset < source.lost_begin ? source.lost_begin : source.size;
    const std::string bytes =
        TRY(source.read(offset, static_cast<size_t>(std::min<uint64_t>(read_size, end - offset))));
    if (bytes.empty()) break;
    offset += bytes.size();
    take(cleaner.feed(bytes));
  }
  take(cleaner.finish());
  if (!line.empty()) each(line);
  return ok;
}

// Keeps the lines of a window that is counted from the front or from the back, within a budget of characters.
class Collector {
 public:
  explicit Collector(const LogWindow& window)
      : from_front_(window.offset.has_value()),
        first_(window.offset.value_or(0)),
        limit_(window.limit.value_or(from_front_ ? std::numeric_limits<uint64_t>::max() : default_log_lines)),
        budget_(window.most_characters) {}

  void take(std::string line) {
    const uint64_t index = seen_++;
    if (from_front_ && (index < first_ || index - first_ >= limit_ || truncated_)) return;
    if (kept_.empty()) begin_ = index;
    characters_ += count_characters(line) + 1;
    kept_.push_back(std::move(line));
    if (from_front_) {
      if (characters_ > budget_) drop_back();
    } else {
      while (kept_.size() > limit_) drop_front();
      while (characters_ > budget_ && kept_.size() > 1) truncated_ = true, drop_front();
    }
  }

  void finish(LogView& view) {
    if (!from_front_ && characters_ > budget_ && !kept_.empty()) {
      kept_.front() = last_characters(kept_.front(), budget_);
      truncated_ = true;
    }
    view.matching_lines = seen_;
    view.shown_lines = kept_.size();
    view.first_line = begin_;
    view.truncated = truncated_;
    for (const std::string& line : kept_) view.text += line + "\n";
  }

 private:
  void drop_front() {
    characters_ -= count_characters(kept_.front()) + 1;
    kept_.pop_front();
    ++begin_;
  }
  void drop_back() {
    truncated_ = true;
    if (kept_.size() > 1) kept_.pop_back();
    else kept_.back() = first_characters(kept_.back(), budget_);
  }

  bool from_front_;
  uint64_t first_;
  uint64_t limit_;
  size_t budget_;
  uint64_t seen_ = 0;
  uint64_t begin_ = 0;
  size_t characters_ = 0;
  bool truncated_ = false;
  std::deque<std::string> kept_;
};

}  // namespace

Result<LogView> view_log(const ByteSource& source, const LogWindow& window) {
  LogView view;
  view.total_bytes = source.size;
  Collector collector(window);
  TRY(for_each_line(source, [&](std::string_view line) {
    ++view.total_lines;
    if (!window.grep) return collector.take(std::string(line));
    if (window.grep->found_in(line)) collector.take(std::to_string(view.total_lines) + ":" + std::string(line));
  }));
  collector.finish(view);
  return view;
}

}  // namespace talaria
