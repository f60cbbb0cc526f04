#pragma once
#include <string>
#include <string_view>

#include "skills/skill_card.h"

namespace talaria {

// Of this machine, as `platforms` of a SKILL.md names it.
inline constexpr std::string_view this_platform = "linux";

// Why the skill is for other machines than those of `platform`, in a sentence that names the field; empty: it fits.
std::string other_platform_because(const SkillCard& card, std::string_view platform = this_platform);

// Whether it fits.
bool runs_on(const SkillCard& card, std::string_view platform = this_platform);

}  // namespace talaria
