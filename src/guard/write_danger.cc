#include "guard/write_danger.h"

#include "base/path.h"
#include "base/text.h"
#include "guard/git_folder.h"
#include "guard/remedies.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr const char* git_why = "git runs programs or works elsewhere because of it";
constexpr const char* repository_why = "git takes its folder for a repository because of it, and runs what that says";

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
      const bool locked = i + 1 == names.size() || is_locked_in_git_folder(rest.substr(names[i].size() + 1));
      return locked ? git_why : "";
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
