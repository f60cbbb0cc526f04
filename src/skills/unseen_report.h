#pragma once
#include <string_view>
#include <vector>

#include "skills/diagnostic.h"

namespace talaria {

// Warns of characters that a terminal obeys, and of those that nobody sees: one diagnostic for each of the two kinds,
// at the line of the first. `text` is UTF-8; `first_line` is the number of its first line. A joiner that follows a
// character beyond ASCII is left alone, as emoji and some scripts need it.
void report_unseen(std::string_view text, size_t first_line, std::vector<SkillDiagnostic>& diagnostics);

}  // namespace talaria
