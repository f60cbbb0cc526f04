#pragma once
#include <optional>
#include <string>
#include <vector>

#include "guard/git_folder.h"
#include "os/fd.h"

namespace talaria {

// How the files of git that name other files are followed: `gitdir`, `commondir`, `.git`, core.worktree, alternates.

// The one line of such a file, without its end; empty when it is no plain file with one line.
std::optional<std::string> git_pointer(int directory, const std::string& path);
// What stands behind "gitdir: " in a .git file.
std::optional<std::string> git_file_target(int directory, const std::string& name);

// Opens what `path` leads to, from the folder at `place` of the workspace, if it stays in the workspace and passes
// through no link. Empty otherwise; errno is ENOENT when only the last step is missing.
UniqueFd follow_git_path(const GitSurroundings& surroundings, const std::string& place, const std::string& path,
                         int flags);

// Where an opened folder lies in the workspace, as names; nothing when it lies outside.
std::optional<std::vector<std::string>> place_in_workspace(const GitSurroundings& surroundings, int directory);

// Whether core.worktree may have this value in the git directory at `place`: it leads into the workspace, and the .git
// there, if any, leads back.
bool is_matching_worktree(int git_directory, const GitSurroundings& surroundings, const std::string& place,
                          const std::string& value);

}  // namespace talaria
