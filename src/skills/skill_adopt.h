#pragma once
#include <string>

#include "base/result.h"

namespace talaria {

// A person has read the skill in `folder` (absolute) that an agent wrote, and answers for it: from now on it counts as
// if the person had put it there. `root` is $TALARIA_HOME/skills.
Result<> trust_skill(const std::string& root, const std::string& folder);

// The skill in this folder below `root` came from elsewhere, and nobody answers for it yet.
Result<> mark_foreign_skill(const std::string& root, const std::string& folder, const std::string& from);

}  // namespace talaria
