#pragma once
#include <set>
#include <string>
#include <vector>

#include "skills/catalog_view.h"
#include "skills/skill_card.h"

namespace talaria {

// What a session has, as far as it decides which skills it is shown.
struct SkillAvailability {
  std::set<std::string> tools;     // enabled and configured
  std::set<std::string> toolsets;  // those of them
  std::string platform = "linux";
  std::set<std::string> disabled;  // skills, by name or slug
};

// Why the skill is not shown to anyone in this session, in a sentence that names the field; empty: it is.
std::string hidden_because(const SkillCard& card, const SkillAvailability& availability);
// The person turned it off: it is not to be loaded either.
bool is_disabled(const SkillCard& card, const SkillAvailability& availability);

// Whom skills are shown to.
enum class SkillAudience {
  agent,   // the prompt, and skills_list
  person,  // lists
  slash,   // the names a person may call
};

// The one place that decides what any list, prompt or set of commands shows; in the order of the view.
std::vector<const Skill*> visible_skills(const CatalogView& view, const SkillAvailability& availability,
                                         SkillAudience audience);

}  // namespace talaria
