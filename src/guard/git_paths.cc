#include "guard/git_paths.h"

#include <fcntl.h>

#include <cerrno>

#include "base/text.h"
#include "guard/hostile_file.h"

namespace talaria {

std::optional<std::string> git_pointer(int directory, const std::string& path) {
  Result<PlainFile> file = read_plain_file(directory, path, 16 << 10);
  if (!file) return std::nullopt;
  std::string& line = file->content;
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  if (line.empty() || line.find_first_of(std::string_view("\n\0", 2)) != std::string::npos) return std::nullopt;
  return std::move(line);
}

std::optional<std::string> git_file_target(int directory, const std::string& name) {
  const std::optional<std::string> line = git_pointer(directory, name);
  if (!line || !line->starts_with("gitdir: ") || line->size() == 8) return std::nullopt;
  return line->substr(8);
}

UniqueFd follow_git_path(const GitSurroundings& surroundings, const std::string& place, const std::string& path,
                         int flags) {
  std::string below = (place.empty() ? "." : place) + "/" + path;
  if (path.starts_with('/')) {
    const std::string& root = surroundings.workspace_path;
    if (path != root && !path.starts_with(root + "/")) {
      errno = EXDEV;
      return {};
    }
    below = "." + path.substr(root.size());
  }
  return open_below(surroundings.workspace, below, flags);
}

std::optional<std::vector<std::string>> place_in_workspace(const GitSurroundings& surroundings, int directory) {
  const auto path_of = [](int fd) { return link_target(AT_FDCWD, "/proc/self/fd/" + std::to_string(fd)); };
  const std::string root = path_of(surroundings.workspace);
  const std::string path = path_of(directory);
  if (path == root) return std::vector<std::string>{};
  const std::string prefix = root == "/" ? root : root + "/";
  if (root.empty() || !path.starts_with(prefix)) return std::nullopt;
  return split(path.substr(prefix.size()), '/');
}

bool is_matching_worktree(int git_directory, const GitSurroundings& surroundings, const std::string& place,
                          const std::string& value) {
  const UniqueFd worktree = follow_git_path(surroundings, place, value, O_PATH | O_DIRECTORY);
  // A submodule that is not checked out now has no folder.
  if (!worktree) return errno == ENOENT;
  const EntryKind kind = kind_below(worktree.get(), ".git");
  if (kind == EntryKind::absent) return true;
  if (kind == EntryKind::folder) {
    const UniqueFd inner = open_below(worktree.get(), ".git", O_PATH | O_DIRECTORY);
    return inner && is_same_entry(inner.get(), git_directory);
  }
  const std::optional<std::string> target = git_file_target(worktree.get(), ".git");
  const std::optional<std::vector<std::string>> names = place_in_workspace(surroundings, worktree.get());
  if (!target || !names) return false;
  const UniqueFd back = follow_git_path(surroundings, join(*names, "/"), *target, O_PATH | O_DIRECTORY);
  return back && is_same_entry(back.get(), git_directory);
}

}  // namespace talaria
