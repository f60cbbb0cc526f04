#pragma once
// skills.config: what skills ask to be set. Its keys are theirs, so any key and any value is right, and nothing in it
// is ever an error.
#include <map>
#include <string>
#include <string_view>

#include "yaml/yaml.h"

namespace talaria {

// True for "skills.config.wiki.path" and all else below the section.
bool is_below_skill_config(std::string_view key);

// Every value below `index` as text, under its dotted key without "skills.config.": a text as it is, a list in one line
// of YAML, an empty one for null: whoever wrote the key has answered. A section that is written as anything else has
// none.
std::map<std::string, std::string> read_skill_config(const YamlDocument& document, size_t index);

}  // namespace talaria
