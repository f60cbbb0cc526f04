#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "skills/catalog_view.h"
#include "skills/platform.h"
#include "skills/skill_card.h"

namespace talaria {

// What a session has, as far as it decides which skills it is shown.
struct SkillAvailability {
  std::set<std::string> tools;     // enabled and configured
  std::set<std::string> toolsets;  // those of them
  std::string platform{this_platform};
  std::set<std::string> disabled;  // skills, by name or slug
  // Entries of `disabled` that mean a skill by its folder, by that skill's slug: see count_disabled_folders.
  std::map<std::string, std::string> disabled_folders = {};
};

// Why the skill is not shown to anyone in this session, in a sentence that names the field; empty: it is.
std::string hidden_because(const SkillCard& card, const SkillAvailability& availability);
// The entry of skills.disabled by which the person turned it off, so that it is not to be loaded either; empty: none.
std::string disabled_by(const SkillCard& card, const SkillAvailability& availability);

// A name in `disabled` that no skill of the view has means the one whose folder it names, alone or after its category:
// it is what a look-up finds. From now on those count, too, and none of another view.
void count_disabled_folders(SkillAvailability& availability, const CatalogView& view);
// All entries by which a skill of the view is turned off.
std::vector<std::string> disabling_entries(const Skill& skill, const SkillAvailability& availability,
                                           const CatalogView& view);

// Why agents do not find it by themselves, though others are shown it, in a sentence; empty: they do.
std::string hidden_from_agents_because(const SkillCard& card);
// Why a person cannot call it by a slash name, in a sentence; empty: they can.
std::string no_slash_because(const SkillCard& card, const SkillAvailability& availability);
// "/arxiv".
std::string slash_name(const SkillCard& card);

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
