#include "files/page.h"

#include <algorithm>

#include "base/utf8.h"

namespace talaria {
namespace {

// Of what it is written as in JSON.
size_t json_bytes(char c) {
  if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f') return 2;
  return static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
}

std::string shown(const RawLine& line, Charset charset) {
  std::string text = decode_text(line.bytes, {charset, false});
  const std::string_view start = first_characters(text, most_agent_line_characters);
  if (start.size() == text.size() && !line.cut) return text;
  return std::string(start).append(cut_line_mark);
}

// The bytes of so many lines.
std::string_view first_lines(std::string_view bytes, uint64_t lines) {
  size_t end = 0;
  for (; lines > 0 && end < bytes.size(); --lines) end = std::min(bytes.find('\n', end), bytes.size() - 1) + 1;
  return bytes.substr(0, end);
}

// As much of a text as fits.
LinePage cut_to_fit(std::string_view text) {
  LinePage page;
  size_t written = 0;
  size_t line_end = 0;  // behind the last whole line
  size_t i = 0;
  for (; i < text.size(); ++i) {
    written += json_bytes(text[i]);
    if (written > most_program_bytes) break;
    if (text[i] != '\n') continue;
    line_end = i + 1;
    ++page.lines;
  }
  if (i == text.size()) {
    if (line_end < i) ++page.lines;
    page.content = text;
    return page;
  }
  page.too_large = true;
  page.line_cut = page.lines == 0;
  if (page.line_cut) page.lines = 1;
  page.content = text.substr(0, page.line_cut ? cut_at_or_before(text, i) : line_end);
  return page;
}

}  // namespace

LinePage agent_page(const std::vector<RawLine>& lines, uint64_t first_line, Charset charset) {
  LinePage page;
  size_t characters = 0;
  const auto is_broken = [&](const RawLine& line) {
    return charset == Charset::utf8 && !is_sound_utf8(line.bytes, line.cut ? Extent::beginning : Extent::whole);
  };
  for (const RawLine& line : lines) {
    const std::string text = std::to_string(first_line + page.lines) + "|" + shown(line, charset);
    characters += count_characters(text) + 1;
    page.too_large = page.lines > 0 && characters > most_agent_characters;
    if (page.too_large) break;
    if (page.lines > 0) page.content += '\n';
    page.content += text;
    page.broken = page.broken || is_broken(line);
    ++page.lines;
  }
  return page;
}

LinePage program_page(std::string_view bytes, Charset charset, Extent extent) {
  LinePage page = cut_to_fit(decode_text(bytes, {charset, false}));
  const std::string_view shown_bytes = first_lines(bytes, page.lines);
  page.broken = charset == Charset::utf8 &&
                !is_sound_utf8(shown_bytes, shown_bytes.size() == bytes.size() ? extent : Extent::whole);
  return page;
}

}  // namespace talaria
