#pragma once
// What is answered instead of a skill: {success: false, error, …}.
#include <string>

#include "api/skill_surroundings.h"
#include "json/json.h"

namespace talaria {

// What is asked for.
struct SkillWish {
  std::string name;
  std::string file_path;  // empty: the skill itself
  SkillAudience audience = SkillAudience::agent;
  SetupWay::Asked asked = SetupWay::Asked::nobody;  // for the variables that are missing
};

JsonObject skill_failure(const std::string& error);

// Why nothing is looked for, in a sentence; empty: it is.
std::string refused_wish(const SkillWish& wish);

// Why a skill that was found is not given to whoever asks, in a sentence; empty: it is.
std::string refused_skill(const SkillSurroundings& around, const Skill& skill, SkillAudience audience);

// Nothing goes by that name: what may have been meant, or why what is there cannot be read.
JsonObject skill_not_found(const SkillSurroundings& around, const CatalogView& view, const SkillRoots& roots,
                           const std::string& name);

}  // namespace talaria
