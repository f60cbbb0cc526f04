#include <fcntl.h>

#include "base/text.h"
#include "guard/git_config.h"
#include "guard/git_folder.h"
#include "guard/git_paths.h"
#include "guard/hostile_file.h"

namespace talaria {
namespace {

// The names `first` to `last` as a path, "." for none.
std::string path_of_names(const std::vector<std::string>& names, size_t count) {
  return count == 0 ? "." : join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)}, "/");
}

class GitFileJudge {
 public:
  GitFileJudge(int directory, const std::string& name, const GitSurroundings& surroundings)
      : directory_(directory), name_(name), surroundings_(surroundings) {}

  // Why git is not to follow it; empty when it may.
  std::string refusal() {
    const std::optional<std::string> path = git_file_target(directory_, name_);
    if (!path) return "it is not a plain file of the form \"gitdir: …\"";
    target_ = follow_git_path(surroundings_, surroundings_.place, *path, O_RDONLY | O_DIRECTORY);
    if (!target_) return "it leads out of the workspace, through a link or nowhere: " + *path;
    const std::optional<std::vector<std::string>> names = place_in_workspace(surroundings_, target_.get());
    if (!names) return "it leads out of the workspace: " + *path;
    place_ = path_of_names(*names, names->size());
    for (size_t index = 0; index + 1 < names->size(); ++index) {
      const std::string& name = (*names)[index];
      const bool worktree = name == "worktrees" && index + 2 == names->size();
      if (!worktree && name != "modules") continue;
      const UniqueFd owner = open_below(surroundings_.workspace, path_of_names(*names, index), O_RDONLY | O_DIRECTORY);
      if (!owner || !looks_like_git_folder(owner.get())) continue;
      if (worktree ? is_our_worktree() : is_our_submodule()) return "";
    }
    return "it leads to no worktree or submodule of a repository that leads back to it: " + *path;
  }

 private:
  bool is_our_worktree() const {
    const std::optional<std::string> back = git_pointer(target_.get(), "gitdir");
    if (git_pointer(target_.get(), "commondir") != "../.." || !back) return false;
    const UniqueFd file = follow_git_path(surroundings_, place_, *back, O_PATH);
    const UniqueFd ours = open_below(directory_, name_, O_PATH);
    return file && ours && is_same_entry(file.get(), ours.get());
  }

  bool is_our_submodule() const {
    if (!looks_like_git_folder(target_.get()) || kind_below(target_.get(), "commondir") != EntryKind::absent)
      return false;
    // A worktree's own settings come after the others, and the last one counts.
    std::string worktree;
    for (const std::string name : {"config", "config.worktree"}) {
      const Result<PlainFile> file = read_plain_file(target_.get(), name, 1 << 20);
      if (!file) continue;
      const Result<std::vector<GitConfigEntry>> entries = read_git_config(file->content);
      if (!entries) return false;
      for (const GitConfigEntry& entry : *entries)
        if (entry.key() == "core.worktree") worktree = entry.value.value_or("");
    }
    if (worktree.empty()) return false;
    const UniqueFd folder = follow_git_path(surroundings_, place_, worktree, O_PATH | O_DIRECTORY);
    return folder && is_same_entry(folder.get(), directory_);
  }

  int directory_;
  const std::string& name_;
  const GitSurroundings& surroundings_;
  UniqueFd target_;
  std::string place_;
};

}  // namespace

std::vector<GitFinding> judge_git_file(int directory, const std::string& name, const GitSurroundings& surroundings) {
  const EntryKind kind = kind_below(directory, name);
  if (kind == EntryKind::absent || kind == EntryKind::folder) return {};
  const std::string why = GitFileJudge(directory, name, surroundings).refusal();
  if (why.empty()) return {};
  return {{name, "git-file", name + " sends git to another folder, and " + why + ".", GitCure::take_away, ""}};
}

}  // namespace talaria
