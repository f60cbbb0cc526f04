#include "talaria/config_secrets.h"

#include "config/keys.h"
#include "process/secret_setting.h"

namespace talaria {

void hide_secrets(std::vector<SettingRow>& rows) {
  for (SettingRow& row : rows) {
    if (row.key != "skills.config" || !row.typed_value.is_object()) continue;
    bool hidden = false;
    for (auto& setting : row.typed_value.get_object()) {
      if (!setting.value().is_string() || !is_secret_setting(setting.key(), setting.value().get_string())) continue;
      setting.value() = hidden_setting;
      hidden = true;
    }
    if (hidden) row.value = flow_text(row.typed_value);
  }
}

std::optional<std::string> section_without_secrets(const std::map<std::string, std::string>& config,
                                                   const std::string& name) {
  JsonObject section;
  bool hidden = false;
  for (const auto& [key, value] : config) {
    if (!key.starts_with(name + ".")) continue;
    const bool secret = is_secret_setting(key, value);
    hidden = hidden || secret;
    section[key.substr(name.size() + 1)] = secret ? std::string(hidden_setting) : value;
  }
  return hidden ? std::optional(flow_text(section)) : std::nullopt;
}

}  // namespace talaria
