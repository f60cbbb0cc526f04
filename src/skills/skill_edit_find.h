#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "skills/skill_edit.h"
#include "skills/skill_history_hold.h"

namespace talaria {

// Where a skill lies below the folder of skills.
struct SkillSite {
  std::string directory;  // "research/arxiv"
  std::string file;       // "SKILL.md" or "skill.md"
};

// The SKILL.md of a folder; empty when it has none.
std::string skill_file_in(int folder);

// The skill that `name` means. Not below root: an error that says where it is and what to do.
Result<SkillSite> find_skill_to_edit(const HeldSkills& skills, const std::string& name, const EditPlace& place);

// Whether a new skill can be made in `directory`.
Result<> check_new_skill_place(const HeldSkills& skills, const std::string& name, const std::string& directory,
                               const EditPlace& place);

// Folders of other skills below `directory`, relative to the folder of skills.
std::vector<std::string> skills_inside(const HeldSkills& skills, const std::string& directory);

}  // namespace talaria
