#pragma once
// Which skill a name means here.
#include <optional>
#include <string>
#include <vector>

#include "talaria/skills.h"

namespace talaria {

struct FoundSkill {
  std::string name;  // by which it is found, and no other
  std::string slug;
  std::string source;                    // home, project, …
  std::string directory;                 // as it was found: links are not followed
  std::vector<std::string> disabled_by;  // the entries of skills.disabled that mean it
};

// As look-ups find them, also those that are hidden or disabled; nothing where no skill has the name. In the order of
// the names.
Result<std::vector<std::optional<FoundSkill>>> find_skills(const std::vector<std::string>& names,
                                                           const SkillsOptions& options);

}  // namespace talaria
