#pragma once
#include <string>
#include <vector>

#include "skills/catalog_view.h"

namespace talaria {

inline constexpr size_t default_prompt_budget = 16'000;

// What a system prompt says of skills: each by its name, below its category, with its description. In more than
// `budget` characters all descriptions that are too long for the rest are shortened to one length; names are never left
// out, whatever the budget. `skills` are those visible to an agent; none: empty.
std::string prompt_index(const CatalogView& view, const std::vector<const Skill*>& skills,
                         size_t budget = default_prompt_budget);

}  // namespace talaria
