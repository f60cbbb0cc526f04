#pragma once
#include <map>
#include <set>
#include <string>

#include "guard/known_entry.h"

namespace talaria {

// By the path in the git directory: "hooks/pre-commit", "modules/a/config"; also every link, wherever it is.
using LockedEntries = std::map<std::string, KnownEntry>;

// What a git directory holds, but for its objects, references and logs.
struct GitInventory {
  LockedEntries locked;
  std::set<std::string> inner;                // git directories of submodules and worktrees
  std::map<std::string, KnownEntry> folders;  // all that were listed, the directory itself as ""
  bool complete = true;                       // false: it holds more than is looked at
};

// What did not change since `before` is not read again.
GitInventory take_git_inventory(int directory, const LockedEntries& before);

// Whether a listing now would find the same: no folder was changed, and no locked entry. Cheap.
bool is_still_so(int directory, const GitInventory& inventory);

// Whether the path in a git directory is one of objects, references or logs, of which nothing is listed.
bool is_git_data(const std::string& path);

// Whether what git writes under this name of a git directory would be written elsewhere.
bool is_way_out(int folder, const FolderEntry& entry);

// Whether a rebase is under way in it, or in one of its worktrees.
bool shows_rebase(const GitInventory& inventory);

}  // namespace talaria
