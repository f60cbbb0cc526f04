#include "skills/prompt_index_text.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace talaria {
namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

// Shows nothing, or changes how its neighbours are shown.
constexpr auto invisible = std::to_array<CharacterRange>({
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian selectors and separator
    {0x200B, 0x200F},    // zero-width, and direction marks
    {0x202A, 0x202E},    // embeddings and overrides
    {0x2060, 0x206F},    // joiner, invisible operators, isolates, old format controls
    {0x3164, 0x3164},    // Hangul filler
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    {0xFFF0, 0xFFFB},    // specials that show nothing
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags, and more variation selectors
});

bool is_invisible(char32_t character) {
  const auto range = std::find_if(invisible.begin(), invisible.end(),
                                  [&](const CharacterRange& candidate) { return character <= candidate.last; });
  return range != invisible.end() && character >= range->first;
}

bool ends_a_line(char32_t character) {
  return (character >= '\t' && character <= '\r') || character == 0x85 || character == 0x2028 || character == 0x2029;
}

bool is_control(char32_t character) { return character < 0x20 || (character >= 0x7F && character <= 0x9F); }

void append_escape(std::string& text, char32_t character) {
  constexpr std::string_view digits = "0123456789abcdef";
  text += "\\u00";
  text += digits[character >> 4];
  text += digits[character & 15];
}

void append_visible(std::string& text, char32_t character) {
  if (ends_a_line(character)) {
    text += ' ';
  } else if (is_control(character)) {
    append_escape(text, character);
  } else if (!is_invisible(character)) {
    append_utf8(text, character);
  }
}

bool is_plain(char c) { return c >= ' ' && c <= '~'; }

enum class Tags { kept, escaped };

std::string shown(std::string_view text, Tags tags) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(),
                                      [&](char c) { return is_plain(c) && (c != '<' || tags == Tags::kept); });
    line.append(text.begin(), end);
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
    if (text.empty()) break;
    const Utf8Step step = decode_utf8(text);
    if (text[0] == '<') {
      line += "&lt;";
    } else {
      append_visible(line, step.kind == Utf8Step::Kind::character ? step.character : U'\uFFFD');
    }
    text.remove_prefix(step.length);
  }
  return line;
}

}  // namespace

std::string visible_text(std::string_view text) { return shown(text, Tags::kept); }

std::string prompt_text(std::string_view text) { return shown(text, Tags::escaped); }

}  // namespace talaria
