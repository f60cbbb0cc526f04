#pragma once
#include <memory>
#include <vector>

#include "skills/catalog_root.h"
#include "skills/skill.h"

namespace talaria {

// A skill that is not reached by its name because another has it.
struct ShadowedSkill {
  const Skill* skill = nullptr;
  const Skill* winner = nullptr;
};

// A skill of a name of its own that slugs to what another has: it goes by another slug, mostly its folder's name.
struct RenamedSkill {
  std::shared_ptr<const Skill> skill;  // a copy, with that slug
  const Skill* winner = nullptr;       // the one that has the slug of its name
};

// Who goes by which slug.
struct SlugOutcome {
  std::vector<const Skill*> skills;  // no two have one slug; in the order of precedence, the renamed ones last
  std::vector<ShadowedSkill> shadowed;
  std::vector<RenamedSkill> renamed;
};

// A skill for other platforms comes after all that run here, whatever its root: it stands in front of none of them.
// Then, of one root, a skill whose name is its slug goes before one whose name only slugs to it, and two of different
// names both stay. Of different roots, a skill of the same name, or of the same slug and folder, is shadowed by the
// first. A folder of some name goes before a name of its root that only slugs to it.
SlugOutcome give_out_slugs(const std::vector<std::shared_ptr<const RootContent>>& roots);

// The last part of its path.
std::string_view folder_name(const Skill& skill);

}  // namespace talaria
