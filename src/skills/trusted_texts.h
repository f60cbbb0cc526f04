#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "skills/front_matter.h"

namespace talaria {

// The SKILL.md files that a person has answered for by trusting the project they lie in. Whoever works in a project can
// write there, agents too: what such a skill declares counts only while it says what it said then.
// Kept in .talaria/trusted.json below `root`, $TALARIA_HOME/skills: {"<real path>": "<text>"}.

// All skills in the folders now, in place of those that were known below them; how many there are.
Result<size_t> trust_texts(const std::string& root, const std::vector<std::string>& folders);
// None below `folder` any more.
Result<> forget_texts(const std::string& root, const std::string& folder);

// `file` is its real path.
bool is_trusted_text(const std::string& root, const std::string& file, const FrontMatter& matter);

}  // namespace talaria
