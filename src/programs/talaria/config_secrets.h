#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/show.h"

namespace talaria {

// Takes the secrets among the settings of skills out of what is shown, as the block that agents read does.
void hide_secrets(std::vector<SettingRow>& rows);

// The section `name` of skills.config ("wiki") in one line without its secrets; nothing when it has none to hide.
std::optional<std::string> section_without_secrets(const std::map<std::string, std::string>& config,
                                                   const std::string& name);

}  // namespace talaria
