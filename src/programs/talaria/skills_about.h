#pragma once
#include <string>

#include "json/json.h"

namespace talaria {

// What a skill's front matter says beside its text, as a block for a person who views it: its version, who wrote it,
// and the keys that have no meaning here. `details` are those of skills/view. Empty: nothing.
std::string about_skill(const JsonObject& details);

}  // namespace talaria
