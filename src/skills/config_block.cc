#include "skills/config_block.h"

#include <algorithm>

#include "base/text.h"
#include "process/secret_setting.h"
#include "skills/skill_body_text.h"
#include "skills/skill_card_needs.h"

namespace talaria {
namespace {

constexpr size_t most_value = 2000;

// What stands for `${name}`; nothing leaves it as it is.
std::optional<std::string> expansion(const std::string& name, const SettingValues& values) {
  if (!is_variable(name) || values.is_secret(name)) return std::nullopt;
  std::optional<std::string> value = values.variable(name);
  if (value && values.holds_secret(*value)) return std::nullopt;
  return value;
}

std::string expanded(std::string_view text, const SettingValues& values) {
  std::string out;
  if (text == "~" || text.starts_with("~/")) {
    out = values.person_home;
    text.remove_prefix(1);
  }
  while (true) {
    const size_t start = text.find("${");
    if (start == std::string_view::npos) return out.append(text);
    out += text.substr(0, start);
    const size_t end = std::min(text.find_first_of("}$", start + 2), text.size());
    const bool closed = end < text.size() && text[end] == '}';
    const std::string name(text.substr(start + 2, end - start - 2));
    if (const auto value = closed ? expansion(name, values) : std::nullopt) {
      out += *value;
      text.remove_prefix(end + 1);
    } else {
      out += "${";
      text.remove_prefix(start + 2);
    }
  }
}

}  // namespace

std::optional<std::string> setting_value(const SkillSetting& setting, const SettingValues& values) {
  std::optional<std::string> value = values.configured(setting.key);
  if (value && !trim(*value).empty()) return expanded(*value, values);
  if (!setting.default_value || trim(*setting.default_value).empty()) return std::nullopt;
  // A default is the skill's: it may name the home, but not ask for the person's variables.
  SettingValues without_variables = values;
  without_variables.variable = [](const std::string&) { return std::nullopt; };
  return expanded(*setting.default_value, without_variables);
}

namespace {

std::string shown_setting(const SkillSetting& setting, const SettingValues& values) {
  const std::optional<std::string> value = setting_value(setting, values);
  if (!value) return "(not set)";
  // By its name only what the person set: a default can be read in the skill itself.
  const bool own = !trim(values.configured(setting.key).value_or("")).empty();
  if (values.holds_secret(*value) || (own && is_secret_setting(setting.key, *value)))
    return std::string(hidden_setting);
  return shortened(shown_line(*value), most_value);
}

}  // namespace

std::string shown_with_tilde(const std::string& path, const std::string& person_home) {
  if (person_home.size() > 1 && path.starts_with(person_home + "/")) return "~" + path.substr(person_home.size());
  return path;
}

std::string config_block(const std::vector<SkillSetting>& settings, const SettingValues& values) {
  if (settings.empty()) return "";
  std::string block = "[Skill config (from " + shown_line(shown_with_tilde(values.file, values.person_home)) + "):\n";
  for (const SkillSetting& setting : settings) {
    block += "  " + shown_line(setting.key) + " = " + shown_setting(setting, values) + "\n";
  }
  return block + "]";
}

}  // namespace talaria
