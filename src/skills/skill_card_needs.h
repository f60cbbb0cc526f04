#pragma once
#include "skills/skill_card.h"
#include "skills/skill_card_fields.h"

namespace talaria {

// The variables, programs, credential files and settings that a skill declares, in each of the ways people write them.
void read_needs(const FrontMatter& matter, const JsonObject& metadata, const JsonObject& hermes, CardFields& fields,
                SkillCard& card);

// [A-Za-z_][A-Za-z0-9_]*
bool is_variable(std::string_view name);

}  // namespace talaria
