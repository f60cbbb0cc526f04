#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// Names in a workspace that make other programs run things: a sandbox may read but not change them, at any depth.
// "name" or "folder/name"; the built-in ones.
std::vector<std::string> protected_name_patterns();

// How far a search goes before it says that it stopped.
struct SearchBudget {
  uint32_t entries = 20'000;
  uint32_t depth = 16;
  uint32_t found = 256;    // each becomes a mount
  uint32_t owners = 1000;  // entries whose owner is looked at
};

// What is there now. Paths are absolute.
struct ProtectedPaths {
  std::vector<std::string> read_only;
  // Their folders (.git, .vscode): moved away, they would take the protection along.
  std::vector<std::string> pinned;
  // Symbolic links under a protected name. A mount cannot hold a link in its place; what it leads to inside the
  // workspace is in read_only.
  std::vector<std::string> links;
  bool complete = true;  // false: the budget ended the search
  bool operator==(const ProtectedPaths&) const = default;
};

struct WorkspaceSearch {
  ProtectedPaths protected_paths;
  // Paths that do not belong to the workspace's owner and group, the first few met.
  std::vector<std::string> foreign;
};

// Whether the search also asks who owns what: that costs a call for every entry.
enum class OwnerSearch { skipped, named };

// One walk through the workspace, nearest first, never through symbolic links or into other file systems.
// `more` are further patterns, of a profile.
WorkspaceSearch search_workspace(const std::string& workspace, const std::vector<std::string>& more, OwnerSearch owners,
                                 const SearchBudget& budget = {});

// The git directory of a workspace that is a linked worktree or a submodule, outside of it. Only when that directory
// names this workspace as its worktree too: the workspace's own word is not enough to open something else.
std::optional<std::string> linked_git_directory(const std::string& workspace);

}  // namespace talaria
