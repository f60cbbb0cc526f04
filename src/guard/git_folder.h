#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

enum class GitCure {
  take_away,  // the file, link or folder must go
  rewrite,    // the file is replaced by one with `content`
};

// One thing in a git directory that makes the person's own git run something, or work elsewhere.
struct GitFinding {
  std::string path;  // from the folder that was judged: "config", "modules/a/hooks/post-checkout"
  std::string rule;  // "git-config", "git-hook", "git-commondir", "git-worktree", "git-alternates", "git-link",
                     // "git-remote", "git-rebase", "git-file", "git-modules"
  std::string why;   // one sentence or more
  GitCure cure = GitCure::take_away;
  std::string content;  // for rewrite
  bool operator==(const GitFinding&) const = default;
};

// Where a git directory or a .git file is judged.
struct GitSurroundings {
  int workspace = -1;          // the workspace's root, opened as a directory
  std::string workspace_path;  // absolute, without links: what absolute paths inside of git's files begin with
  std::string place;           // of the judged directory, from the workspace: "project/.git"; "" for the root itself
  // Folders of objects outside of the workspace that git may take objects from, absolute.
  std::vector<std::string> object_folders;
};

// Whether git takes this directory for a repository, whatever its name is: git's own rule, or a little more.
bool looks_like_git_folder(int directory);

// Judges a git directory that a sandboxed command made: also `modules/<path>` and `worktrees/<name>` of another, told
// by their place. Ask when the command has ended or the folder has been still for a while: git writes its files one
// after the other, and a repository that is half made may have findings that it loses by itself.
std::vector<GitFinding> judge_git_folder(int directory, const GitSurroundings& surroundings);

// Judges what a later `git rebase --continue` would run, in any git directory, also one that was there before.
std::vector<GitFinding> judge_rebase_state(int directory);

// Judges a `.git` that is no directory, `name` in `directory`. Its place is that of `directory`. It must lead to a
// `worktrees/<name>` or `modules/<path>` of a git directory in the workspace that leads back to it.
std::vector<GitFinding> judge_git_file(int directory, const std::string& name, const GitSurroundings& surroundings);

// What nobody inside may create or change in a git directory that was there before, as patterns: `*` is one name, `**`
// is one or more.
std::vector<std::string> locked_git_names();
// Whether one of them matches this path, which begins in the git directory: "hooks/pre-commit", "modules/a/config".
bool is_locked_in_git_folder(std::string_view path);

}  // namespace talaria
