#pragma once
// What skills want to have set in config.yaml, as the gateway tells it, and how a person sees it.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "rpc/client.h"

namespace talaria {

struct AskedSetting {
  std::string key;  // without skills.config.
  std::string description;
  std::string prompt;
  std::optional<std::string> default_value;
  std::string skill;
  std::optional<std::string> value;  // what is configured
  bool operator==(const AskedSetting&) const = default;
};

// Asks the gateway for those of the skills that hold in this directory.
Result<std::vector<AskedSetting>> fetch_skill_settings(RpcClient& client);
// Of its answer; an entry without a key is left out.
std::vector<AskedSetting> read_skill_settings(const JsonObject& answer);

// Those without a value, or with a blank one; each key once, for the first skill that wants it.
std::vector<AskedSetting> unset_settings(const std::vector<AskedSetting>& settings);

// "◆ Skill Settings" with a line for each; empty for none.
std::string settings_section(const std::vector<AskedSetting>& settings);
// The same when they are not known.
std::string missing_section(std::string_view why);
// "  2 skill settings not configured:" with a line for each.
std::string unset_list(const std::vector<AskedSetting>& unset);
// [{key, description, prompt, default, skill, value}]
JsonArray settings_json(const std::vector<AskedSetting>& settings);

// The person at a terminal, for ask_for_settings.
struct SettingsDialogue {
  std::function<std::optional<std::string>(const std::string& prompt)> ask;  // nothing: no more answers
  std::function<Result<>(const std::string& key, const std::string& value)> store;
  std::function<void(const std::string& line)> complain;
};

// Asks for each of `unset`, after a general yes, and stores every answer at once. An empty one stands for the default;
// without a default it leaves the setting as it is. True when all that was to be stored was.
bool ask_for_settings(const std::vector<AskedSetting>& unset, const SettingsDialogue& dialogue);

}  // namespace talaria
