#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

inline constexpr size_t longest_line = 16 << 20;

// Cuts a byte stream into lines of at most `longest` bytes. A longer line is reported once and skipped to its end, so a
// peer that sends one costs no more memory than the cap.
class LineReader {
 public:
  struct Line {
    std::string_view text;  // without its newline; valid until the next call of append or next
    bool too_long = false;
    bool operator==(const Line&) const = default;
  };

  explicit LineReader(size_t longest = longest_line) : longest_(longest) {}

  void append(std::string_view bytes);
  std::optional<Line> next();

 private:
  size_t longest_;
  std::string buffer_;
  size_t begin_ = 0;    // of the line being looked for
  size_t scanned_ = 0;  // no newline in [begin_, scanned_)
  bool skipping_ = false;
};

}  // namespace talaria
