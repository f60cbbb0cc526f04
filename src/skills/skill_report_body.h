#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "skills/diagnostic.h"

namespace talaria {

// What is to be said about the instructions of a skill: their length, files they name that are not in `folder`, inline
// shell. `first_line` is the line of the file at which they begin.
void check_skill_body(std::string_view body, size_t first_line, const std::string& folder,
                      std::vector<SkillDiagnostic>& diagnostics);

}  // namespace talaria
