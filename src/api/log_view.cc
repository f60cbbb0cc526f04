#include "api/log_view.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>

#include "base/text.h"
#include "base/utf8.h"
#include "process/clean_text.h"
#include "process/lost_range.h"

namespace talaria {
namespace {

constexpr size_t log_read_size = 256 << 10;
constexpr size_t longest_piece = 1 << 20;
constexpr int most_looks = 8;
constexpr uint64_t end_to_read = 4 << 20;

// Cuts the cleaned log into lines, and lines without end into pieces.
class LineSplitter {
 public:
  // `begins`: the piece is the first of its line.
  using Each = std::function<void(std::string_view piece, bool begins)>;
  explicit LineSplitter(Each each) : each_(std::move(each)) {}

  void feed(std::string_view bytes) { take(cleaner_.feed(bytes)); }

  // What comes next does not follow on what came last.
  void interrupt() {
    take(cleaner_.finish());
    if (!piece_.empty() || !begins_) end_line();
  }
  void say(const std::string& line) { each_(line, true); }

 private:
  void take(std::string_view text) {
    while (!text.empty()) {
      const size_t end = text.find('\n');
      piece_.append(text.substr(0, end));
      if (end == std::string_view::npos) {
        if (piece_.size() >= longest_piece) give(), begins_ = false;
        return;
      }
      end_line();
      text.remove_prefix(end + 1);
    }
  }
  void end_line() {
    if (begins_ || !piece_.empty()) give();
    begins_ = true;
  }
  void give() {
    each_(piece_, begins_);
    piece_.clear();
  }

  Each each_;
  TextCleaner cleaner_{Collapse::yes};
  std::string piece_;
  bool begins_ = true;
};

// The lost range that `offset` lies in, or the next one; an empty one at the end when there is none.
LostRange next_lost(const ByteSource& source, uint64_t offset) {
  if (source.lost.empty() && offset < source.lost_end) return {source.lost_begin, source.lost_end};
  for (const LostRange& range : source.lost) {
    if (offset < range.end) return range;
  }
  return {source.size, source.size};
}

// Feeds the whole log to `lines`; how long it is. Where bytes are lost, a line of ours says so.
Result<uint64_t> split_log(ByteSource source, const LookAgain& look_again, LineSplitter& lines) {
  int looks = 0;
  for (uint64_t offset = 0; offset < source.size;) {
    const LostRange lost = next_lost(source, offset);
    if (offset >= lost.begin) {
      lines.interrupt();
      lines.say("[… " + loss_sentence(lost.end - offset, source.lost_because) + " …]");
      offset = lost.end;
      continue;
    }
    const uint64_t end = std::min(lost.begin, source.size);
    const std::string bytes =
        TRY(source.read(offset, static_cast<size_t>(std::min<uint64_t>(log_read_size, end - offset))));
    if (!bytes.empty()) {
      offset += bytes.size();
      lines.feed(bytes);
      continue;
    }
    if (!look_again || ++looks > most_looks) break;
    // It grows faster than we read. Each time we look we read less, so that once we are fast enough.
    ByteSource now = TRY(look_again());
    if (now.size <= offset) continue;  // met it while it dropped a file
    source = std::move(now);
    const uint64_t wanted = end_to_read >> looks;
    const uint64_t from = std::max({offset, source.lost_end, source.size - std::min(source.size, wanted)});
    if (from > offset) {
      lines.interrupt();
      lines.say("[… " + with_commas(from - offset) + " bytes left out: more was printed while the log was read …]");
    }
    offset = from;
  }
  lines.interrupt();
  return source.size;
}

// Keeps the lines of a window that is counted from the front or from the back, within a budget of characters.
class Collector {
 public:
  explicit Collector(const LogWindow& window)
      : from_front_(window.offset.has_value()),
        first_(window.offset.value_or(0)),
        limit_(window.limit.value_or(from_front_ ? std::numeric_limits<uint64_t>::max() : default_log_lines)),
        budget_(window.most_characters) {}

  void take(std::string text, bool begins) {
    if (begins) ++seen_;
    const uint64_t line = seen_ - 1;
    if (from_front_ && (line < first_ || line - first_ >= limit_ || truncated_)) return;
    characters_ += count_characters(text) + (begins ? 1 : 0);
    kept_.push_back({std::move(text), line, begins});
    if (from_front_) {
      if (characters_ > budget_) drop_back();
    } else {
      while (kept_.back().line - kept_.front().line >= limit_) drop_front();
      while (characters_ > budget_ && kept_.size() > 1) truncated_ = true, drop_front();
    }
  }

  void finish(LogView& view) {
    if (!from_front_ && characters_ > budget_ && !kept_.empty()) {
      kept_.front().text = last_characters(kept_.front().text, budget_);
      truncated_ = true;
    }
    view.matching_lines = seen_;
    view.truncated = truncated_;
    if (kept_.empty()) return;
    view.shown_lines = kept_.back().line - kept_.front().line + 1;
    view.first_line = kept_.front().line + 1;
    for (const Piece& piece : kept_) {
      if (piece.begins && !view.text.empty()) view.text += "\n";
      view.text += piece.text;
    }
    view.text += "\n";
  }

 private:
  struct Piece {
    std::string text;
    uint64_t line;
    bool begins;
  };

  void drop_front() {
    characters_ -= count_characters(kept_.front().text) + (kept_.front().begins ? 1 : 0);
    kept_.pop_front();
  }
  void drop_back() {
    truncated_ = true;
    if (kept_.size() > 1) kept_.pop_back();
    else kept_.back().text = first_characters(kept_.back().text, budget_);
  }

  bool from_front_;
  uint64_t first_;
  uint64_t limit_;
  size_t budget_;
  uint64_t seen_ = 0;
  size_t characters_ = 0;
  bool truncated_ = false;
  std::deque<Piece> kept_;
};

}  // namespace

Result<LogView> view_log(ByteSource source, const LogWindow& window, const LookAgain& look_again) {
  LogView view;
  Collector collector(window);
  uint64_t last_match = 0;
  LineSplitter lines([&](std::string_view piece, bool begins) {
    if (begins) ++view.total_lines;
    if (!window.grep) return collector.take(std::string(piece), begins);
    if (last_match == view.total_lines || !window.grep->found_in(piece)) return;
    last_match = view.total_lines;
    collector.take(std::to_string(view.total_lines) + ":" + std::string(piece), true);
  });
  view.total_bytes = TRY(split_log(std::move(source), look_again, lines));
  collector.finish(view);
  return view;
}

}  // namespace talaria
