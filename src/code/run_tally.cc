#include "code/run_tally.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "process/clean_text.h"

namespace talaria {
namespace {

constexpr size_t longest = 120;  // characters
// What is long and says little: files, programs and the text of an edit.
constexpr std::array<std::string_view, 4> bulky = {"content", "code", "patch", "new_string"};

std::string_view front_of(std::string_view text) { return text.substr(0, cut_at_or_before(text, 4 * longest)); }

std::string short_text(std::string_view text) {
  const std::string shown = clean(front_of(text));
  const bool plain = !shown.empty() && shown.find_first_of(" \t\n\"\\") == std::string::npos;
  return plain ? shown : write_json(Json(std::string_view(shown)));
}

void append_value(std::string& line, const Json& value) {
  if (const auto* text = value.if_string()) {
    line += short_text(*text);
  } else if (const JsonArray* list = value.if_array()) {
    line += '[';
    for (const Json& item : *list) {
      if (line.back() != '[') line += ", ";
      append_value(line, item);
      if (line.size() > 4 * longest) break;  // the rest is cut off anyway
    }
    line += ']';
  } else if (value.is_object()) {
    line += "{…}";
  } else {
    line += write_json(value);
  }
}

}  // namespace

std::string short_arguments(const JsonObject& arguments) {
  std::string line;
  for (const auto& [key, value] : arguments) {
    if (!line.empty()) line += ' ';
    line += clean(front_of(key));
    line += '=';
    if (value.is_string() && std::ranges::find(bulky, std::string_view(key)) != bulky.end()) {
      const size_t bytes = value.get_string().size();
      line += "(" + with_commas(bytes) + (bytes == 1 ? " byte)" : " bytes)");
    } else {
      append_value(line, value);
    }
    if (line.size() > 4 * longest) break;
  }
  std::ranges::replace(line, '\n', ' ');
  const std::string_view shown = first_characters(line, longest);
  if (shown.size() == line.size()) return line;
  return std::string(first_characters(line, longest - 1)) + "…";
}

}  // namespace talaria
