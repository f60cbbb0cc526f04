#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// Blanks within a line: space, tab, carriage return, form feed, vertical tab.
bool is_blank(char c);
bool is_blank(std::string_view line);
std::string_view trim_right(std::string_view line);
std::string_view trim_blanks(std::string_view line);
// The blanks a line begins with.
std::string_view indent_of(std::string_view line);

bool is_ascii(std::string_view text);

enum class Blanks {
  kept,
  collapsed,   // every run of them is one space, and none is at the end of a line
  unindented,  // the same, and none is at the start of a line
};

enum class Typography {
  kept,
  folded,     // quotes, dashes, dots and spaces of books become those of a keyboard
  wide_dash,  // the same, but a long dash becomes two short ones
};

// A text in a form that leaves out some differences, and where each byte of it comes from.
struct Folded {
  std::string text;
  std::vector<uint32_t> origin;  // of each byte, and one more: where the source ends

  // The place in the source where the character ends that gave byte `last`.
  size_t end_of(size_t last, std::string_view source) const;
};

// `text` must be shorter than 4 GiB.
Folded fold(std::string_view text, Blanks blanks, Typography typography);

}  // namespace talaria
