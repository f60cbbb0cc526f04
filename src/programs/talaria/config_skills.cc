#include "talaria/config_skills.h"

#include <algorithm>
#include <set>

#include "base/columns.h"
#include "base/text.h"
#include "process/secret_setting.h"
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

// Of a value that stands for nothing: what counts instead.
std::string without_value(const std::string& why, const std::optional<std::string>& fallback) {
  return "(" + why + (is_blank(fallback) ? "" : "; default: " + one_line(*fallback)) + ")";
}

// A skill's words alone could pretend to be ours, so who asks stands before them.
std::string question_of(const AskedSetting& setting) {
  const std::string key = one_line(setting.key), about = one_line(setting.prompt);
  std::string question = "  The skill " + one_line(setting.skill) + " (" + one_line(setting.directory) +
                         ") asks for skills.config." + key + "\n";
  const bool secret_name = is_secret_setting_name(key);
  if (secret_name || speaks_of_secret(about) || speaks_of_secret(setting.description)) {
    question += secret_name ? "  Agents are not shown a secret that you type here, so the skill cannot use it."
                            : "  Agents are shown what you type here.";
    question += " Passwords, keys and tokens belong into .env: talaria env set NAME\n";
  }
  std::string empty = "[Enter leaves it unset]";
  if (setting.default_value) {
    const std::string fallback = is_blank(setting.default_value) ? "nothing" : one_line(*setting.default_value);
    empty = "[default: " + fallback + ", Enter keeps it]";
  }
  return question + "  " + (about.empty() ? one_line(setting.description) : about) + " " + empty + ": ";
}

std::string counted(size_t count) {
  return std::to_string(count) + (count == 1 ? " skill setting" : " skill settings");
}

std::string line_of(const AskedSetting& setting) {
  const std::string fallback =
      is_blank(setting.default_value) ? "" : "default: " + one_line(*setting.default_value) + "; ";
  return "    • " + one_line(setting.key) + " — " + one_line(setting.description) + " (" + fallback +
         "from skill: " + one_line(setting.skill) + ", " + one_line(setting.directory) + ")\n";
}

bool is_yes(const std::optional<std::string>& answer) {
  const std::string word = answer ? lower(trim(*answer)) : "";
  return word == "y" || word == "yes";
}

}  // namespace

Result<std::vector<AskedSetting>> fetch_skill_settings(Gateway& gateway) {
  JsonObject here = TRY(session_here(std::nullopt));
  return read_skill_settings(
      TRY(gateway.call("skills/settings", params_of({{"session", std::move(here)}}), Repeat::harmless)));
}

std::vector<AskedSetting> read_skill_settings(const JsonObject& answer) {
  std::vector<AskedSetting> settings;
  const Json* list = answer.if_contains("settings");
  if (!list || !list->is_array()) return settings;
  for (const Json& item : list->get_array()) {
    if (!item.is_object() || text_or(item.get_object(), "key").empty()) continue;
    const JsonObject& one = item.get_object();
    settings.push_back({text_or(one, "key"), text_or(one, "description"), text_or(one, "prompt"),
                        text_if(one, "default"), text_or(one, "skill"), text_if(one, "value"),
                        text_or(one, "directory"), text_or(one, "trust"), text_or(one, "trust_command")});
  }
  return settings;
}

OpenSettings open_settings(const std::vector<AskedSetting>& settings) {
  OpenSettings open;
  std::set<std::string> seen;
  for (const AskedSetting& setting : settings) {
    if (setting.value || !seen.insert(setting.key).second) continue;
    if (!setting.trust_command.empty()) open.untrusted.push_back(setting);
    else (setting.default_value ? open.optional : open.needed).push_back(setting);
  }
  return open;
}

std::vector<AskedSetting> OpenSettings::to_ask() const {
  std::vector<AskedSetting> all = needed;
  all.insert(all.end(), optional.begin(), optional.end());
  return all;
}

std::string settings_section(const std::vector<AskedSetting>& settings) {
  if (settings.empty()) return "";
  std::string text = "\n◆ Skill Settings\n";
  for (const AskedSetting& setting : settings) {
    std::string key = one_line(setting.key);
    key += std::string(key_column - std::min(key_column, columns_of(key)), ' ');
    const std::string value = !setting.value            ? without_value("not set", setting.default_value)
                              : is_blank(setting.value) ? without_value("empty", setting.default_value)
                                                        : one_line(*setting.value);
    text += "  " + key + " " + value + "  [" + one_line(setting.skill) + "]\n";
  }
  return text;
}

std::string missing_section(std::string_view why) { return "\n◆ Skill Settings\n  not known: " + one_line(why) + "\n"; }

std::string open_list(const OpenSettings& open) {
  std::string text = "  " + counted(open.needed.size()) + " not configured:\n";
  if (open.needed.empty()) text = "  all skill settings have a value\n";
  for (const AskedSetting& setting : open.needed) text += line_of(setting);
  if (!open.optional.empty()) text += "  " + counted(open.optional.size()) + " left to the skill's own default:\n";
  for (const AskedSetting& setting : open.optional) text += line_of(setting);
  if (!open.untrusted.empty()) text += "  " + counted(open.untrusted.size()) + " not asked for:\n";
  for (const AskedSetting& setting : open.untrusted) {
    text += line_of(setting) + "      " + why_not_asked(setting.trust, setting.trust_command) + "\n";
  }
  return text;
}

std::string why_not_asked(std::string_view trust, std::string_view trust_command) {
  const std::string writer = trust == "community" ? "strangers have" : "an agent may have";
  return writer +
         " written this skill, so nothing is asked for it until you have read it and run: " + one_line(trust_command);
}

JsonArray settings_json(const std::vector<AskedSetting>& settings) {
  JsonArray list;
  for (const AskedSetting& setting : settings) {
    JsonObject one{{"key", setting.key},       {"description", setting.description},
                   {"prompt", setting.prompt}, {"default", nullptr},
                   {"skill", setting.skill},   {"directory", setting.directory},
                   {"trust", setting.trust},   {"trust_command", nullptr},
                   {"value", nullptr}};
    if (!setting.trust_command.empty()) one["trust_command"] = setting.trust_command;
    set_if(one, "default", setting.default_value);
    set_if(one, "value", setting.value);
    list.push_back(std::move(one));
  }
  return list;
}

bool ask_for_settings(const std::vector<AskedSetting>& settings, const SettingsDialogue& dialogue) {
  if (!is_yes(dialogue.ask("Configure skill settings? [y/N]: "))) return true;
  bool all_stored = true;
  for (const AskedSetting& setting : settings) {
    const std::optional<std::string> answer = dialogue.ask(question_of(setting));
    if (!answer) break;
    const std::string value(trim(*answer));
    if (value.empty()) continue;
    const Result<> stored = dialogue.store(setting.key, value);
    if (stored) continue;
    dialogue.complain(stored.error().message());
    all_stored = false;
  }
  return all_stored;
}

}  // namespace talaria
