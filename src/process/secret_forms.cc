#include "process/secret_forms.h"

#include <algorithm>
#include <cstring>

#include "base/json_escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

constexpr size_t shortest_secret_line = 16;
constexpr size_t most_secret_lines = 256;

enum class Slash { plain, escaped };
enum class Beyond { as_it_is, escaped };  // what is not ASCII

bool append_short_escape(std::string& text, char c, Slash slash) {
  constexpr std::string_view plain = "\"\\\n\r\t\b\f/";
  constexpr std::string_view letters = "\"\\nrtbf/";
  const size_t at = plain.find(c);
  if (at == std::string_view::npos || (c == '/' && slash == Slash::plain)) return false;
  text += '\\';
  text += letters[at];
  return true;
}

std::string json_form(std::string_view value, Slash slash, Beyond beyond) {
  std::string text;
  while (!value.empty()) {
    const Utf8Step step = decode_utf8(value);
    const bool whole = step.kind == Utf8Step::Kind::character;
    const bool escapes = whole && (step.character < 0x20 || (step.character > 0x7f && beyond == Beyond::escaped));
    const bool short_one = append_short_escape(text, value.front(), slash);
    if (!short_one && escapes) append_json_escape(text, step.character);
    else if (!short_one) text += value.substr(0, step.length);
    value.remove_prefix(step.length);
  }
  return text;
}

// What a file with a key in it begins and ends with is the same in all of them.
bool is_frame_of_key(std::string_view line) { return line.starts_with("-----BEGIN ") || line.starts_with("-----END "); }

std::vector<std::string_view> telling_lines(std::string_view value) {
  std::vector<std::string_view> lines;
  if (value.find('\n') == std::string_view::npos) return lines;
  while (!value.empty() && lines.size() < most_secret_lines) {
    const size_t end = std::min(value.find('\n'), value.size());
    const std::string_view line = trim(value.substr(0, end));
    if (line.size() >= shortest_secret_line && !is_frame_of_key(line)) lines.push_back(line);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return lines;
}

void add_once(std::vector<SecretText>& forms, std::string form) {
  const bool there = std::ranges::any_of(forms, [&](const SecretText& other) { return other.text() == form; });
  SecretText added(std::move(form));
  if (!there) forms.push_back(std::move(added));
}

}  // namespace

SecretText::~SecretText() {
  text_.resize(text_.capacity());
  ::explicit_bzero(text_.data(), text_.size());
}

std::vector<SecretText> secret_forms(std::string_view value) {
  std::vector<SecretText> forms;
  // A line end at the end of a value does not come back with it.
  value = trim(value);
  if (value.size() < shortest_secret) return forms;
  std::vector<std::string_view> texts = {value};
  for (const std::string_view line : telling_lines(value)) texts.push_back(line);
  for (const std::string_view text : texts) {
    add_once(forms, std::string(text));
    for (const Slash slash : {Slash::plain, Slash::escaped}) {
      for (const Beyond beyond : {Beyond::as_it_is, Beyond::escaped}) add_once(forms, json_form(text, slash, beyond));
    }
  }
  return forms;
}

}  // namespace talaria
