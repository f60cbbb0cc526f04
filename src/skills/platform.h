#pragma once
#include <string>
#include <string_view>

#include "skills/skill_card.h"

namespace talaria {

// Of this machine, as `platforms` of a SKILL.md names it.
inline constexpr std::string_view this_platform = "linux";

// The one name that an operating system goes by here (darwin is macos), in lower case; of anything else what is
// written.
std::string platform_name(std::string_view written);
// Of a name as platform_name gives it. Authors also list agent programs there, which says nothing about machines.
bool is_operating_system(std::string_view name);

// Why the skill is for other machines than those of `platform`, in a sentence that names the field; empty: it fits.
std::string other_platform_because(const SkillCard& card, std::string_view platform = this_platform);

// Whether it fits. One that names no operating system at all fits everywhere.
bool runs_on(const SkillCard& card, std::string_view platform = this_platform);

}  // namespace talaria
