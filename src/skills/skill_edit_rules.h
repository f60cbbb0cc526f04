#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "skills/diagnostic.h"

// What skill_manage takes, as far as the words alone say. Each error says what to do.

namespace talaria {

inline constexpr size_t most_skill_characters = 100'000;
inline constexpr size_t most_support_bytes = 1 << 20;

// What the open format allows: 1 to 64 lower-case letters, digits and single hyphens between them.
Result<> check_new_skill_name(std::string_view name);
// ^[a-z0-9][a-z0-9._-]*$, at most 64, once or up to five times with / between.
Result<> check_category(std::string_view category);

// A file beside SKILL.md: below references, templates, scripts or assets. Gives it without "." and doubled slashes.
Result<std::string> check_support_path(std::string_view path);
Result<> check_support_text(std::string_view text);

// A whole SKILL.md: front matter with a name and a description, then a body. Its name must be one of `names`, as far as
// look-up tells names apart. Gives what is not wrong but worth saying.
Result<std::vector<SkillDiagnostic>> check_skill_text(std::string_view text, const std::vector<std::string>& names);

}  // namespace talaria
