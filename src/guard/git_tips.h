#pragma once
#include <string>
#include <vector>

namespace talaria {

// The ids that a repository's references have, the ones that are checked out first, each once. Read by our own code:
// no configuration is involved. What cannot be read, or is beyond a cap, is left out.
std::vector<std::string> read_git_tips(int git_directory);

}  // namespace talaria
