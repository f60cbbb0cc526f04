#include "base/utf8.h"

#include <algorithm>

namespace talaria {
namespace {

constexpr char32_t replacement = 0xFFFD;

unsigned char byte_at(std::string_view bytes, size_t i) { return static_cast<unsigned char>(bytes[i]); }
bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// How many bytes a character with this first byte has; 0 if none starts so.
size_t length_from(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// The second byte rules out overlong forms and what lies above U+10FFFF; all others may be any continuation.
// Surrogates (ED A0..BF) pass here, so that decode_utf8 sees them whole.
bool second_fits(unsigned char first, unsigned char second) {
  if (first == 0xE0) return second >= 0xA0 && second <= 0xBF;
  if (first == 0xF0) return second >= 0x90 && second <= 0xBF;
  if (first == 0xF4) return second >= 0x80 && second <= 0x8F;
  return is_continuation(second);
}

}  // namespace

Utf8Step decode_utf8(std::string_view bytes) {
  using Kind = Utf8Step::Kind;
  const unsigned char first = byte_at(bytes, 0);
  if (first < 0x80) return {Kind::character, first, 1};
  const size_t length = length_from(first);
  if (length == 0) return {Kind::broken, replacement, 1};
  char32_t character = first & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {Kind::incomplete, replacement, i};
    const unsigned char next = byte_at(bytes, i);
    const bool fits = i == 1 ? second_fits(first, next) : is_continuation(next);
    if (!fits) return {Kind::broken, replacement, i};
    character = character << 6 | (next & 0x3Fu);
  }
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  return {surrogate ? Kind::broken : Kind::character, character, length};
}

void append_utf8(std::string& text, char32_t character) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF)) character = replacement;
  if (character < 0x80) return put(character);
  if (character < 0x800) {
    put(0xC0 | character >> 6);
  } else {
    if (character < 0x10000) {
      put(0xE0 | character >> 12);
    } else {
      put(0xF0 | character >> 18);
      put(0x80 | (character >> 12 & 0x3F));
    }
    put(0x80 | (character >> 6 & 0x3F));
  }
  put(0x80 | (character & 0x3F));
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Step step = decode_utf8(bytes);
    if (step.kind != Utf8Step::Kind::character) return false;
    bytes.remove_prefix(step.length);
  }
  return true;
}

size_t utf8_prefix(std::string_view bytes) {
  size_t good = 0;
  while (good < bytes.size()) {
    const Utf8Step step = decode_utf8(bytes.substr(good));
    if (step.kind != Utf8Step::Kind::character) break;
    good += step.length;
  }
  return good;
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(decode_utf8(text).length);
    ++count;
  }
  return count;
}

size_t cut_at_or_before(std::string_view text, size_t offset) {
  if (offset >= text.size()) return text.size();
  // A character is at most four bytes, so its start lies at most three back.
  for (size_t back = 1; back <= std::min<size_t>(3, offset); ++back) {
    const Utf8Step step = decode_utf8(text.substr(offset - back));
    if (step.kind == Utf8Step::Kind::character && step.length > back) return offset - back;
  }
  return offset;
}

size_t cut_at_or_after(std::string_view text, size_t offset) {
  const size_t start = cut_at_or_before(text, offset);
  if (start >= offset || start >= text.size()) return start;
  return start + decode_utf8(text.substr(start)).length;
}

std::string_view first_characters(std::string_view text, size_t most) {
  size_t end = 0;
  for (; most > 0 && end < text.size(); --most) end += decode_utf8(text.substr(end)).length;
  return text.substr(0, end);
}

std::string_view last_characters(std::string_view text, size_t most) {
  size_t start = text.size();
  for (; most > 0 && start > 0; --most) start = cut_at_or_before(text, start - 1);
  return text.substr(start);
}

}  // namespace talaria
