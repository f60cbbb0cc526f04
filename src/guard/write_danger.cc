#include "guard/write_danger.h"

#include "base/path.h"
#include "base/text.h"
#include "guard/git_folder.h"
#include "guard/remedies.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr const char* git_why = "it can make git run programs or use another repository";
constexpr const char* unfinished_why = "it says what git does when an unfinished rebase goes on";
constexpr const char* repository_why = "it makes its folder a repository, of which git runs what the settings say";

// What git goes on with when a person says --continue. `path` begins in the git directory.
bool is_unfinished_work(std::string_view path) {
  const std::vector<std::string> names = split(path, '/');
  const size_t first = names.size() > 3 && names[0] == "worktrees" ? 2 : 0;
  return names[first] == "rebase-merge" || names[first] == "rebase-apply" || names[first] == "sequencer";
}

// Whether git would take the folder for a repository if it had an entry of this name too.
bool would_be_git_folder(const std::string& folder, const std::string& added) {
  const auto has = [&](const std::string& name) { return name == added || exists(folder + "/" + name); };
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

// What git makes of the path, step by step from the workspace; `roots` are the repositories it lies in.
std::string danger_for_git(const std::string& workspace, const std::string& below, std::vector<std::string>& roots) {
  std::string folder;  // from the workspace
  const std::vector<std::string> names = split(below, '/');
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string here = folder.empty() ? workspace : workspace + "/" + folder;
    const std::string rest = below.substr(folder.empty() ? 0 : folder.size() + 1);
    if (exists(here + "/.git")) roots.push_back(folder);
    if (names[i] == ".git") {
      if (i + 1 == names.size()) return git_why;
      const std::string inner = rest.substr(names[i].size() + 1);
      if (is_unfinished_work(inner)) return unfinished_why;
      return is_locked_in_git_folder(inner) ? git_why : "";
    }
    const bool was_git = would_be_git_folder(here, "");
    if (was_git && is_locked_in_git_folder(rest)) return git_why;
    if (!was_git && would_be_git_folder(here, names[i])) return repository_why;
    folder = joined(folder, names[i]);
  }
  return "";
}

}  // namespace

std::string danger_of_writing(const GuardOrder& guard, const std::string& path) {
  if (!is_within(path, guard.workspace) || path == guard.workspace) return "";
  const std::string below = path.substr(guard.workspace.size() + 1);
  Dangers dangers(guard.protected_names);
  if (const std::optional<DangerousName> name = dangers.find(below)) return name->why;
  std::vector<std::string> roots;
  if (std::string why = danger_for_git(guard.workspace, below, roots); !why.empty()) return why;
  const NamedByGit named = find_named_by_git({guard.workspace, guard.home, roots});
  dangers.hold(named.paths, named.anywhere);
  const std::optional<DangerousName> name = dangers.find(below);
  return name ? name->why : "";
}

}  // namespace talaria
