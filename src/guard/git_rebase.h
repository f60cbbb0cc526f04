#pragma once
#include <string>
#include <vector>

#include "guard/git_folder.h"

namespace talaria {

// Adds what a stopped rebase in this one git directory would run when it goes on. `prefix` leads to it, with a slash.
void judge_rebase_todo(int directory, const std::string& prefix, std::vector<GitFinding>& findings);

}  // namespace talaria
