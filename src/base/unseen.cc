#include "base/unseen.h"

#include <array>
#include <cstdio>

#include "base/code_range.h"
#include "base/utf8.h"

namespace talaria {
namespace {

constexpr std::array unseen_ranges = {
    CodeRange{0xAD, 0xAD},     CodeRange{0x61C, 0x61C},   CodeRange{0x180E, 0x180E},   CodeRange{0x200B, 0x200F},
    CodeRange{0x2028, 0x202E}, CodeRange{0x2060, 0x206F}, CodeRange{0x3164, 0x3164},   CodeRange{0xFEFF, 0xFEFF},
    CodeRange{0xFFA0, 0xFFA0}, CodeRange{0xFFF9, 0xFFFB}, CodeRange{0xE0000, 0xE0FFF},
};

std::string in_hex(const char* format, unsigned number) {
  char text[16];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

void append_shown_bytes(std::string& shown, std::string_view bytes) {
  for (const char c : bytes) shown += in_hex("\\x%02x", static_cast<unsigned char>(c));
}

}  // namespace

bool is_terminal_control(char32_t character) {
  return (character < 0x20 && character != '\n' && character != '\t') || (character >= 0x7F && character < 0xA0);
}

bool is_unseen(char32_t character) {
  return character >= unseen_ranges.front().first && is_in(unseen_ranges, character);
}

std::string terminal_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    const std::string_view bytes = text.substr(0, step.length);
    const char32_t character = step.character;
    const bool line_end = text.starts_with("\r\n");
    if (line_end) shown += '\n';
    else if (step.kind != Utf8Step::Kind::character) append_shown_bytes(shown, bytes);
    else if (is_terminal_control(character) && character < 0x80) shown += {'^', static_cast<char>(character ^ 0x40)};
    else if (is_terminal_control(character)) shown += in_hex("\\x%02x", character);
    else if (is_unseen(character)) shown += in_hex("\\u{%x}", character);
    else shown += bytes;
    text.remove_prefix(line_end ? 2 : step.length);
  }
  return shown;
}

std::string shown_line(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = decode_utf8(text);
    const char32_t character = step.character;
    const bool line_end = text.starts_with("\r\n");
    if (step.kind != Utf8Step::Kind::character) append_shown_bytes(shown, text.substr(0, step.length));
    else if (line_end || character == '\n') shown += "\\n";
    else if (character == '\t') shown += "\\t";
    else if (is_terminal_control(character)) shown += in_hex("\\x%02x", character);
    else if (is_unseen(character)) shown += in_hex("\\u{%x}", character);
    else shown += text.substr(0, step.length);
    text.remove_prefix(line_end ? 2 : step.length);
  }
  return shown;
}

}  // namespace talaria
