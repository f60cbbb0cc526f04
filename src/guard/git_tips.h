#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace talaria {

// The ids that a repository's references have, the ones that are checked out first, each once. Read by our own code:
// no configuration is involved. What cannot be read, or is beyond a cap, is left out.
std::vector<std::string> read_git_tips(int git_directory);
// So many are read at most.
constexpr size_t most_git_tips = 50'000;

// A number that changes when a reference was changed, also through memory: from the stamps that the kernel gives files.
uint64_t stamp_of_git_tips(int git_directory);
// The same of the few files that git itself changes whenever it commits, fetches or packs: a quick look.
uint64_t quick_stamp_of_git_tips(int git_directory);

}  // namespace talaria
