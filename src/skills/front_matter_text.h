#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "skills/diagnostic.h"

namespace talaria {

// The bytes of a file as text: UTF-8 without byte order mark and NUL, lines end with \n.
struct SkillText {
  std::string_view text;  // of the file itself, or of `made`
  std::string made;
  std::vector<SkillDiagnostic> diagnostics;

  SkillText() = default;
  SkillText(const SkillText&) = delete;
  SkillText& operator=(const SkillText&) = delete;
};

// Writes into `into`, which views `file` where nothing had to change.
void decode_skill_text(std::string_view file, SkillText& into);

}  // namespace talaria
