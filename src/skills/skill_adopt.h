#pragma once
#include <string>

#include "base/result.h"

namespace talaria {

// Whose a skill of `root`, $TALARIA_HOME/skills, is. `folder` is absolute and lies there; it may be a link that leads
// elsewhere, even to where agents write: there it is the text that a person answers for.

// A person has read the skill that an agent or a stranger wrote, and answers for it: from now on it counts as if the
// person had put it there.
Result<> trust_skill(const std::string& root, const std::string& folder);

// The person does so no longer: it is again what it was before. `folder` may also be where a link in the root leads.
// False: it was not trusted.
Result<bool> untrust_skill(const std::string& root, const std::string& folder);

// The skill in this folder below `root` came from elsewhere, and nobody answers for it yet.
Result<> mark_foreign_skill(const std::string& root, const std::string& folder, const std::string& from);

}  // namespace talaria
