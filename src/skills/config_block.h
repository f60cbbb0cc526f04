#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skills/skill_card.h"

namespace talaria {

// Where the values of a skill's settings come from.
struct SettingValues {
  std::string file;                                                              // config.yaml
  std::string person_home;                                                       // what ~ stands for
  std::function<std::optional<std::string>(const std::string& key)> configured;  // skills.config.<key> as text
  std::function<std::optional<std::string>(const std::string& name)> variable;   // of the client's environment
  std::function<bool(const std::string& name)> is_secret;     // a variable whose value no model may see
  std::function<bool(const std::string& text)> holds_secret;  // a text that no model may see
};

// What a setting is: as configured, else its default, with ~ and ~/ at its start and every ${NAME} expanded, once; of a
// default only ~.
// Nothing when neither says anything but blanks. Variables that are secret, by name or value, or not set stay as they
// are written.
std::optional<std::string> setting_value(const SkillSetting& setting, const SettingValues& values);

// The block that tells an agent a skill's settings, one line each, without values that hold a secret; empty for a skill
// without settings.
std::string config_block(const std::vector<SkillSetting>& settings, const SettingValues& values);

// `path` with ~ for the person's home.
std::string shown_with_tilde(const std::string& path, const std::string& person_home);

}  // namespace talaria
