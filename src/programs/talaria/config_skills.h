#pragma once
// What skills want to have set in config.yaml, as the gateway tells it, and how a person sees it.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "talaria/gateway.h"

namespace talaria {

struct AskedSetting {
  std::string key;  // without skills.config.
  std::string description;
  std::string prompt;
  std::optional<std::string> default_value;
  std::string skill;
  std::optional<std::string> value;  // what is configured
  std::string directory;             // of the skill
  std::string trust;
  std::string trust_command;  // what comes before anybody is asked; empty: a person answers for the skill's words
  bool operator==(const AskedSetting&) const = default;
};

// Asks the gateway for those of the skills that hold in this directory.
Result<std::vector<AskedSetting>> fetch_skill_settings(Gateway& gateway);
// Of its answer; an entry without a key is left out.
std::vector<AskedSetting> read_skill_settings(const JsonObject& answer);

// What config.yaml says nothing about, each key once, for the first skill that wants it. An empty value is an answer.
struct OpenSettings {
  std::vector<AskedSetting> needed;     // without a default
  std::vector<AskedSetting> optional;   // their default counts until they are set
  std::vector<AskedSetting> untrusted;  // never asked for: an agent or a stranger has written the question
  std::vector<AskedSetting> to_ask() const;
};
OpenSettings open_settings(const std::vector<AskedSetting>& settings);

// "◆ Skill Settings" with a line for each; empty for none.
std::string settings_section(const std::vector<AskedSetting>& settings);
// The same when they are not known.
std::string missing_section(std::string_view why);
// "  2 skill settings not configured:" with a line for each, then the optional and the untrusted ones.
std::string open_list(const OpenSettings& open);
// "an agent may have written this skill, so nothing is asked for it until you …"
std::string why_not_asked(std::string_view trust, std::string_view trust_command);
// [{key, description, prompt, default, skill, directory, trust, trust_command, value}]
JsonArray settings_json(const std::vector<AskedSetting>& settings);

// The person at a terminal, for ask_for_settings.
struct SettingsDialogue {
  std::function<std::optional<std::string>(const std::string& prompt)> ask;  // nothing: no more answers
  std::function<Result<>(const std::string& key, const std::string& value)> store;
  std::function<void(const std::string& line)> complain;
};

// Asks for each, after a general yes, and stores every answer at once. An empty one leaves the setting as it is. True
// when all that was to be stored was.
bool ask_for_settings(const std::vector<AskedSetting>& settings, const SettingsDialogue& dialogue);

}  // namespace talaria
