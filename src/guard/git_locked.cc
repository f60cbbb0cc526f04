#include <algorithm>

#include "base/text.h"
#include "guard/git_folder.h"

namespace talaria {
namespace {

using Names = std::vector<std::string>;

// info/sparse-checkout is not one of them: it only says which files are there.
const Names& locked_in_one() {
  static const Names names{"hooks",
                           "hooks/**",
                           "config",
                           "config.worktree",
                           "commondir",
                           "info/attributes",
                           "objects/info/alternates",
                           "remotes/**",
                           "branches/**"};
  return names;
}

bool matches_names(const Names& pattern, size_t at, const Names& path, size_t from) {
  if (at == pattern.size()) return from == path.size();
  if (from == path.size()) return false;
  if (pattern[at] == "**") {
    for (size_t next = from + 1; next <= path.size(); ++next)
      if (matches_names(pattern, at + 1, path, next)) return true;
    return false;
  }
  return (pattern[at] == "*" || pattern[at] == path[from]) && matches_names(pattern, at + 1, path, from + 1);
}

// A branch of a submodule may have any name, also "config": it is a file in refs and in logs.
bool is_reference(const Names& path) {
  for (size_t index = 2; index + 1 < path.size(); ++index) {
    const std::string& next = path[index + 1];
    if (path[index] == "refs" && (next == "heads" || next == "tags" || next == "remotes")) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> locked_git_names() {
  Names all = locked_in_one();
  for (const std::string& name : locked_in_one()) {
    all.push_back("modules/**/" + name);
    all.push_back("worktrees/*/" + name);
    all.push_back("worktrees/*/modules/**/" + name);
  }
  all.push_back("worktrees/*/gitdir");
  return all;
}

namespace {

const std::vector<Names>& locked_patterns() {
  static const std::vector<Names> patterns = [] {
    std::vector<Names> all;
    for (const std::string& name : locked_git_names()) all.push_back(split(name, '/'));
    return all;
  }();
  return patterns;
}

}  // namespace

bool is_locked_in_git_folder(std::string_view path) {
  const Names names = split(path, '/');
  if ((names.front() == "modules" || names.front() == "worktrees") && is_reference(names)) return false;
  return std::ranges::any_of(locked_patterns(),
                             [&](const Names& pattern) { return matches_names(pattern, 0, names, 0); });
}

}  // namespace talaria
