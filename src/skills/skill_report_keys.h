#pragma once
#include <vector>

#include "skills/diagnostic.h"
#include "skills/front_matter.h"

namespace talaria {

// Keys of the front matter that are not known here. At its top all of them, further down only those that look like
// slips of ours: what others keep there is their affair. Of very many the first are named, the rest counted.
void check_skill_keys(const FrontMatter& matter, std::vector<SkillDiagnostic>& diagnostics);

}  // namespace talaria
