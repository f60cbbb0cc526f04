#pragma once
// The lines of a file around its front matter, told apart.
#include <cstddef>
#include <string_view>

namespace talaria {

// Goes through a text line by line.
class MatterLineReader {
 public:
  MatterLineReader(std::string_view text, size_t number) : text_(text), number_(number) {}

  bool at_end() const { return at_ >= text_.size(); }
  size_t offset() const { return at_; }
  size_t number() const { return number_; }  // of the line that next() gives
  std::string_view next();                   // without its line feed
  std::string_view peek() const;
  // To the line after `mark`, searched from `from` on. False, and not moved, when it is not there or more follows it on
  // its line.
  bool go_behind(std::string_view mark, const MatterLineReader& from);

 private:
  std::string_view text_;
  size_t at_ = 0;
  size_t number_;
};

// Nothing to see: blanks, or a zero-width space or byte order mark.
bool is_blank_line(std::string_view line);
// Three or more dashes, with a comment behind them or not. The opening one may be indented a little.
bool is_opening_fence(std::string_view line);
// The same, or three dots.
bool is_closing_fence(std::string_view line);

// Where front matter that nobody closed seems to end.
struct GuessedEnd {
  size_t source_size = 0;
  size_t body_offset = 0;  // differs where an indented fence stands between
  size_t body_line = 0;
  bool at_heading = false;
};
GuessedEnd guess_end(std::string_view text, size_t first_line);

}  // namespace talaria
