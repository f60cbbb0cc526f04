#pragma once
#include <string>
#include <vector>

#include "skills/skill_report.h"

namespace talaria {

// How a skill compares with the open Agent Skills format and with what this program does with it. `folder` is where its
// files are.
void lint_skill(const FrontMatter& matter, const SkillCard& card, const std::string& folder, const KnownTools& known,
                std::vector<SkillDiagnostic>& diagnostics);

}  // namespace talaria
