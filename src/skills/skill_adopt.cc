#include "skills/skill_adopt.h"

#include <cstdlib>
#include <memory>

#include "skills/skill_history_hold.h"
#include "skills/skill_origins.h"

namespace talaria {

Result<> trust_skill(const std::string& root, const std::string& folder) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(root.c_str(), nullptr), &::free);
  const std::string below = (real ? std::string(real.get()) : root) + "/";
  if (!folder.starts_with(below)) return invalid(folder + " is not a skill's folder in " + root);
  const HeldSkills skills = TRY(HeldSkills::open(root));
  return set_origin(skills.state(), folder.substr(below.size()), std::nullopt);
}

Result<> mark_foreign_skill(const std::string& root, const std::string& folder, const std::string& from) {
  const HeldSkills skills = TRY(HeldSkills::open(root));
  return set_origin(skills.state(), folder, JsonObject{{"trust", "community"}, {"from", from}});
}

}  // namespace talaria
