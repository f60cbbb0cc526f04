#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace talaria {

// What stands at the start of some bytes that should be UTF-8.
struct Utf8Step {
  enum class Kind {
    character,   // one whole code point
    broken,      // `length` bytes that cannot be one, whatever follows
    incomplete,  // the bytes end inside a character that is good so far
  };
  Kind kind;
  // U+FFFD unless it is a character. One exception: the three bytes of a UTF-16 surrogate are broken, but read as
  // the surrogate, so that they can be shown.
  char32_t character;
  size_t length;

  bool operator==(const Utf8Step&) const = default;
};

// `bytes` must not be empty. Broken steps are maximal subparts, as Unicode recommends for replacement.
Utf8Step decode_utf8(std::string_view bytes);

void append_utf8(std::string& text, char32_t character);

bool is_utf8(std::string_view bytes);
// How many bytes from the start are valid UTF-8: all of them, or up to the first that cannot be.
size_t utf8_prefix(std::string_view bytes);

// Code points; each broken or incomplete step counts as one, as it would after replacement.
size_t count_characters(std::string_view text);

// The nearest offset at or before (after) `offset` that does not split a character.
size_t cut_at_or_before(std::string_view text, size_t offset);
size_t cut_at_or_after(std::string_view text, size_t offset);

// The first (last) `most` characters.
std::string_view first_characters(std::string_view text, size_t most);
std::string_view last_characters(std::string_view text, size_t most);

}  // namespace talaria
