#include "base/columns.h"

#include <algorithm>

#include "base/utf8.h"
#include "base/width_table.h"

namespace talaria {
namespace {

// Takes the characters of a text one by one and knows how many columns they take together.
class Measure {
 public:
  size_t columns() const { return columns_; }

  void take(const Utf8Step& step) {
    const size_t before = last_;
    last_ = width_of(step.character);
    // An emoji that begins as a narrow sign is drawn wide when this follows: ❤ becomes ❤️.
    if (step.character == 0xFE0F && before == 1) last_ = 1;
    columns_ += last_;
  }

 private:
  static size_t width_of(char32_t character) {
    if (character < no_column_ranges[0].first) return 1;
    return is_in(no_column_ranges, character) ? 0 : is_in(two_column_ranges, character) ? 2 : 1;
  }

  size_t columns_ = 0;
  size_t last_ = 0;
};

}  // namespace

size_t columns_of(std::string_view text) {
  Measure measure;
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    measure.take(step);
    text.remove_prefix(step.length);
  }
  return measure.columns();
}

std::string_view first_columns(std::string_view text, size_t most) {
  Measure measure;
  size_t end = 0;
  while (end < text.size()) {
    const Utf8Step step = decode_utf8(text.substr(end));
    measure.take(step);
    if (measure.columns() > most) break;
    end += step.length;
  }
  return text.substr(0, end);
}

std::string cut_to_columns(std::string_view text, size_t most) {
  if (columns_of(text) <= most) return std::string(text);
  return most == 0 ? "" : std::string(first_columns(text, most - 1)) + "…";
}

std::string wrap_to_columns(std::string_view text, size_t room, size_t indent) {
  room = std::max<size_t>(room, 2);  // so that every character fits
  const std::string next_line = "\n" + std::string(indent, ' ');
  std::string lines;
  size_t used = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (used > 0 && used + 1 + columns_of(word) > room) {
      lines += next_line;
      used = 0;
    } else if (used > 0) {
      lines += ' ';
      ++used;
    }
    for (; columns_of(word) > room; lines += next_line) {
      const std::string_view head = first_columns(word, room);
      lines += head;
      word.remove_prefix(head.size());
    }
    lines += word;
    used += columns_of(word);
  }
  return lines;
}

}  // namespace talaria
