#include "skills/skill_adopt.h"

#include "os/file.h"
#include "skills/skill_history_hold.h"
#include "skills/skill_origins.h"

namespace talaria {

Result<> trust_skill(const std::string& root, const std::string& folder) {
  const std::string below = real_or_given_path(root) + "/";
  if (!folder.starts_with(below)) return invalid(folder + " is not a skill's folder in " + root);
  const HeldSkills skills = TRY(HeldSkills::open(root));
  return set_origin(skills.state(), folder.substr(below.size()), std::nullopt);
}

Result<> mark_foreign_skill(const std::string& root, const std::string& folder, const std::string& from) {
  const HeldSkills skills = TRY(HeldSkills::open(root));
  return set_origin(skills.state(), folder, JsonObject{{"trust", "community"}, {"from", from}});
}

}  // namespace talaria
