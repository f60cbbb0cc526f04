#include "skills/front_matter_lines.h"

#include <algorithm>
#include <utility>

namespace talaria {

namespace {

constexpr std::string_view blanks = " \t";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

// What stands behind "key:"; nullptr data when the line is no such thing. Prose has blanks before its first colon.
std::string_view value_of_key(std::string_view line) {
  size_t end = 0;
  const bool quoted = line.starts_with('"') || line.starts_with('\'');
  if (quoted) ++end;
  while (end < line.size() && is_word(line[end])) ++end;
  if (end == (quoted ? 1u : 0u)) return {};
  if (quoted && end < line.size() && line[end] == line[0]) ++end;
  if (end >= line.size() || line[end] != ':') return {};
  if (end + 1 < line.size() && line[end + 1] != ' ' && line[end + 1] != '\t') return {};
  const size_t value = line.find_first_not_of(blanks, end + 1);
  return value == std::string_view::npos ? line.substr(line.size()) : line.substr(value);
}

// "# Title" and not a comment, which stands right above what it is about.
bool is_heading(std::string_view line, std::string_view next) {
  const size_t level = line.find_first_not_of('#');
  if (level == 0 || level > 6 || level == std::string_view::npos || line[level] != ' ') return false;
  return is_blank_line(next) || value_of_key(next).data() == nullptr;
}

bool dashes_only(std::string_view line) {
  const size_t dashes = line.find_first_not_of('-');
  if (dashes == std::string_view::npos) return line.size() >= 3;
  if (dashes < 3) return false;
  const size_t rest = line.find_first_not_of(blanks, dashes);
  return rest == std::string_view::npos || (rest > dashes && line[rest] == '#');
}

// What may follow on the lines below a key.
enum class Below {
  nothing,     // its value is whole
  block_text,  // lines of any kind, deeper
  children,    // lines that are deeper, or "-" at its own depth
  items,       // it was "-"
  flow,        // anything up to the closing bracket
};

Below below_of(std::string_view value) {
  if (value.empty() || value[0] == '#') return Below::children;
  if (value[0] == '|' || value[0] == '>') return Below::block_text;
  const bool flow = value[0] == '[' || value[0] == '{';
  const bool closed = value.find_last_of(value[0] == '[' ? "]" : "}") != std::string_view::npos;
  return flow && !closed ? Below::flow : Below::nothing;
}

}  // namespace

std::string_view MatterLineReader::next() {
  const size_t newline = std::min(text_.find('\n', at_), text_.size());
  const std::string_view line = text_.substr(at_, newline - at_);
  at_ = std::min(newline + 1, text_.size());
  ++number_;
  return line;
}

std::string_view MatterLineReader::peek() const {
  if (at_end()) return {};
  MatterLineReader copy = *this;
  return copy.next();
}

bool MatterLineReader::go_behind(std::string_view mark, const MatterLineReader& from) {
  const size_t found = text_.find(mark, from.at_);
  if (found == std::string_view::npos) return false;
  MatterLineReader there = from;
  std::string_view line;
  while (!there.at_end() && there.at_ <= found) line = there.next();
  if (!is_blank_line(line.substr(found + mark.size() - static_cast<size_t>(line.data() - text_.data())))) return false;
  *this = there;
  return true;
}

bool is_blank_line(std::string_view line) {
  while (!line.empty()) {
    const size_t length = line[0] == ' ' || line[0] == '\t'                                      ? 1
                          : line.starts_with("\xC2\xA0")                                         ? 2
                          : line.starts_with("\xE2\x80\x8B") || line.starts_with("\xEF\xBB\xBF") ? 3
                                                                                                 : 0;
    if (length == 0) return false;
    line.remove_prefix(length);
  }
  return true;
}

bool is_opening_fence(std::string_view line) {
  const size_t at = line.find_first_not_of(' ');
  return at != std::string_view::npos && at <= 3 && dashes_only(line.substr(at));
}

bool is_closing_fence(std::string_view line) {
  if (line.starts_with("...")) return line.find_first_not_of(blanks, 3) == std::string_view::npos;
  return dashes_only(line);
}

GuessedEnd guess_end(std::string_view text, size_t first_line) {
  MatterLineReader lines(text, first_line);
  Below below = Below::nothing;
  bool after_blank = true;
  while (!lines.at_end()) {
    const size_t at = lines.offset(), number = lines.number();
    const std::string_view line = lines.next();
    const bool blank = is_blank_line(line);
    const bool deeper = !blank && (line[0] == ' ' || line[0] == '\t');
    if (blank) {
      after_blank = true;
      continue;
    }
    const bool was_after_blank = std::exchange(after_blank, false);
    if (deeper) {
      // A fence that is indented by mistake.
      if (below == Below::children) below = Below::nothing;
      if (below == Below::block_text || !is_opening_fence(line)) continue;
      return {at, lines.offset(), lines.number(), false};
    }
    if (below == Below::flow) {
      if (line[0] == ']' || line[0] == '}') below = Below::nothing;
      continue;
    }
    if (line[0] == '#') {
      if (was_after_blank && is_heading(line, lines.peek())) return {at, at, number, true};
      continue;
    }
    if (line.starts_with("- ") && (below == Below::children || below == Below::items)) {
      below = Below::items;
      continue;
    }
    const std::string_view value = value_of_key(line);
    if (value.data() == nullptr) return {at, at, number, false};
    below = below_of(value);
  }
  return {text.size(), text.size(), lines.number(), false};
}

}  // namespace talaria
