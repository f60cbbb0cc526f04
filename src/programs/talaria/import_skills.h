#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "talaria/import_row.h"

namespace talaria {

// Every skill below `root` by its folder's path from there, in order: folders with a SKILL.md, at most six deep. Links
// are not followed.
std::vector<std::string> find_skill_folders(const std::string& root);

// What copying them from `theirs` to `ours` would do: what is there already stays, and nothing takes its name.
std::vector<ImportRow> plan_skill_copies(const std::string& theirs, const std::string& ours);

// Copies those that are `taken`, each whole or not at all: put together in `scratch`, on the same disk, and moved to
// its place. Files, folders, their modes and links that stay inside; anything else is left out and said in the row.
void copy_skills(std::vector<ImportRow>& rows, const std::string& theirs, const std::string& ours,
                 const std::string& scratch);

}  // namespace talaria
