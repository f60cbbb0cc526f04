#include "skills/skill_body_text.h"

#include <cstdio>

#include "base/unseen.h"
#include "base/utf8.h"

namespace talaria {
namespace {

std::string escape(const char* format, char32_t character) {
  char text[16];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(character));
  return text;
}

}  // namespace

std::string shown_text(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const bool line_end = bytes.starts_with("\r\n");
    const Utf8Step step = decode_utf8(bytes);
    const bool whole = step.kind == Utf8Step::Kind::character;
    const char32_t character = line_end ? U'\n' : whole ? step.character : U'\uFFFD';
    if (is_terminal_control(character)) out += escape("\\x%02x", character);
    else append_utf8(out, character);
    bytes.remove_prefix(line_end ? 2 : step.length);
  }
  return out;
}

std::string path_text(const std::string& path) { return is_utf8(path) ? path : shown_line(path); }

std::string shortened(std::string_view text, size_t most) {
  const std::string_view head = first_characters(text, most);
  return std::string(head) + (head.size() < text.size() ? "...[truncated]" : "");
}

std::string quoted_line(std::string_view text) { return "\"" + shortened(shown_line(text), 100) + "\""; }

std::string_view without_outer_blank_lines(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return {};
  text = text.substr(0, last + 1);
  const size_t first = text.find_first_not_of(" \t\r\n");
  const size_t line_end = text.substr(0, first).find_last_of('\n');
  return line_end == std::string_view::npos ? text : text.substr(line_end + 1);
}

}  // namespace talaria
