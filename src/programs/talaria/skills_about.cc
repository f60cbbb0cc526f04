#include "talaria/skills_about.h"

#include <algorithm>

#include "base/text.h"
#include "skills/skill_body_text.h"

namespace talaria {
namespace {

constexpr size_t longest_value = 200;
constexpr size_t most_keys = 40;

// A text as it is, a list of them joined, everything else as JSON; on one line.
std::string value_text(const Json& value) {
  const auto is_text = [](const Json& item) { return item.is_string(); };
  std::string text;
  if (value.is_string()) {
    text = value.get_string();
  } else if (value.is_array() && std::ranges::all_of(value.get_array(), is_text)) {
    std::vector<std::string> items;
    for (const Json& item : value.get_array()) items.emplace_back(item.get_string());
    text = join(items, ", ");
  } else {
    text = write_json(value);
  }
  return shortened(shown_line(trim(text)), longest_value);
}

}  // namespace

std::string about_skill(const JsonObject& details) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view key, const Json& value) {
    const bool empty = value.is_array() && value.get_array().empty();
    if (!empty) lines.push_back("  " + shown_line(key) + ": " + value_text(value));
  };
  for (const char* key : {"version", "author", "license", "compatibility", "platforms", "tags"}) {
    if (const Json* value = details.if_contains(key)) add(key, *value);
  }
  if (const Json* tools = details.if_contains("allowed_tools")) add("allowed-tools", *tools);
  if (const JsonObject* extra = object_or_null(details, "extra")) {
    for (const auto& field : *extra) add(field.key(), field.value());
  }
  if (lines.empty()) return "";
  if (lines.size() > most_keys) {
    const size_t more = lines.size() - most_keys;
    lines.resize(most_keys);
    lines.push_back("  and " + with_commas(more) + " more; --json shows them");
  }
  return "[Front matter:\n" + join(lines, "\n") + "\n]";
}

}  // namespace talaria
