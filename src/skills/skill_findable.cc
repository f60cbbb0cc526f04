#include "skills/skill_findable.h"

#include <sys/stat.h>

#include "base/text.h"
#include "skills/skill_body_text.h"
#include "skills/skill_walk.h"

namespace talaria {
namespace {

bool holds_a_skill(const std::string& folder) {
  for (const char* name : {"/SKILL.md", "/skill.md"}) {
    struct stat info {};
    if (::stat((folder + name).c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) return true;
  }
  return false;
}

}  // namespace

Result<> check_findable(const std::string& root, const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  const std::string never = "a skill in " + shown_line(path) + " would never be found: ";
  if (parts.size() > deepest_skill_folder) {
    return invalid(never + "it would lie " + std::to_string(parts.size()) + " folders below " + shown_line(root) +
                   ", and skills are looked for in the first " + std::to_string(deepest_skill_folder) +
                   "; choose a shorter category");
  }
  std::string folder = root;
  for (const std::string& part : parts) {
    if (holds_no_skills(part)) {
      return invalid(never + "folders called " + part + " are skipped; choose another name");
    }
    if (belongs_to_a_skill(part) && holds_a_skill(folder)) {
      return invalid(never + shown_line(folder) + " is a skill, and what is in its folder " + part +
                     " is a part of it; choose another category");
    }
    folder += "/" + part;
  }
  return ok;
}

}  // namespace talaria
