#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

// A file of a new skill.
struct TemplateFile {
  std::string path;  // below the skill's folder
  std::string content;
  unsigned mode = 0644;
};

// What a new skill says of itself until its author does.
inline constexpr std::string_view template_description = "Say what it does. Use when the person asks for it.";

// A skill to start from: its instructions with every section and the optional fields, and a script they call.
std::vector<TemplateFile> skill_template(const std::string& name, std::string_view description);

// Makes the folder `parent`/`name` with the template in it, whole or not at all, and gives its path. Refuses a name
// that breaks the rule, with one that does not, and a folder that is there.
Result<std::string> make_skill(const std::string& parent, const std::string& name, std::string_view description);

}  // namespace talaria
