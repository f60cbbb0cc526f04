#include "talaria/config_skills.h"

#include <algorithm>

#include "base/text.h"
#include "talaria/gateway.h"

namespace talaria {
namespace {

constexpr size_t key_column = 20;

// Skills are strangers' files: what they say stays on its line.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  }
  return std::string(trim(line));
}

std::optional<std::string> text_if(const JsonObject& object, std::string_view name) {
  const Json* value = object.if_contains(name);
  return value && value->is_string() ? std::optional(std::string(value->get_string())) : std::nullopt;
}

bool is_blank(const std::optional<std::string>& value) { return !value || trim(*value).empty(); }

std::string question_of(const AskedSetting& setting) {
  const std::string about = one_line(setting.prompt.empty() ? setting.description : setting.prompt);
  const std::string fallback =
      is_blank(setting.default_value) ? "" : " (default: " + one_line(*setting.default_value) + ")";
  return "  " + (about.empty() ? one_line(setting.key) : about) + fallback + ": ";
}

bool is_yes(const std::optional<std::string>& answer) {
  const std::string word = answer ? lower(trim(*answer)) : "";
  return word == "y" || word == "yes";
}

}  // namespace

Result<std::vector<AskedSetting>> fetch_skill_settings(RpcClient& client) {
  JsonObject here = TRY(session_here(std::nullopt));
  return read_skill_settings(TRY(client.call_object("skills/settings", params_of({{"session", std::move(here)}}))));
}

std::vector<AskedSetting> read_skill_settings(const JsonObject& answer) {
  std::vector<AskedSetting> settings;
  const Json* list = answer.if_contains("settings");
  if (!list || !list->is_array()) return settings;
  for (const Json& item : list->get_array()) {
    if (!item.is_object() || text_or(item.get_object(), "key").empty()) continue;
    const JsonObject& one = item.get_object();
    settings.push_back({text_or(one, "key"), text_or(one, "description"), text_or(one, "prompt"),
                        text_if(one, "default"), text_or(one, "skill"), text_if(one, "value")});
  }
  return settings;
}

std::vector<AskedSetting> unset_settings(const std::vector<AskedSetting>& settings) {
  std::vector<AskedSetting> unset;
  for (const AskedSetting& setting : settings) {
    const bool seen =
        std::any_of(unset.begin(), unset.end(), [&](const AskedSetting& other) { return other.key == setting.key; });
    if (is_blank(setting.value) && !seen) unset.push_back(setting);
  }
  return unset;
}

std::string settings_section(const std::vector<AskedSetting>& settings) {
  if (settings.empty()) return "";
  std::string text = "\n◆ Skill Settings\n";
  for (const AskedSetting& setting : settings) {
    std::string key = one_line(setting.key);
    if (key.size() < key_column) key.resize(key_column, ' ');
    const std::string value = is_blank(setting.value) ? "(not set)" : one_line(*setting.value);
    text += "  " + key + " " + value + "  [" + one_line(setting.skill) + "]\n";
  }
  return text;
}

std::string missing_section(std::string_view why) { return "\n◆ Skill Settings\n  not known: " + one_line(why) + "\n"; }

std::string unset_list(const std::vector<AskedSetting>& unset) {
  std::string text = "  " + std::to_string(unset.size()) + (unset.size() == 1 ? " skill setting" : " skill settings") +
                     " not configured:\n";
  for (const AskedSetting& setting : unset) {
    text += "    • " + one_line(setting.key) + " — " + one_line(setting.description) +
            " (from skill: " + one_line(setting.skill) + ")\n";
  }
  return text;
}

JsonArray settings_json(const std::vector<AskedSetting>& settings) {
  JsonArray list;
  for (const AskedSetting& setting : settings) {
    JsonObject one{{"key", setting.key},       {"description", setting.description},
                   {"prompt", setting.prompt}, {"default", nullptr},
                   {"skill", setting.skill},   {"value", nullptr}};
    set_if(one, "default", setting.default_value);
    set_if(one, "value", setting.value);
    list.push_back(std::move(one));
  }
  return list;
}

bool ask_for_settings(const std::vector<AskedSetting>& unset, const SettingsDialogue& dialogue) {
  if (!is_yes(dialogue.ask("Configure skill settings? [y/N]: "))) return true;
  bool all_stored = true;
  for (const AskedSetting& setting : unset) {
    const std::optional<std::string> answer = dialogue.ask(question_of(setting));
    if (!answer) break;
    std::string value(trim(*answer));
    if (value.empty()) value = setting.default_value.value_or("");
    if (trim(value).empty()) continue;
    const Result<> stored = dialogue.store(setting.key, value);
    if (stored) continue;
    dialogue.complain(stored.error().message());
    all_stored = false;
  }
  return all_stored;
}

}  // namespace talaria
