#include "sandbox/protected_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>

#include "base/text.h"
#include "guard/danger.h"
#include "guard/git_config.h"
#include "guard/named_paths.h"
#include "os/fd.h"
#include "os/file.h"

namespace talaria {
namespace {

// Searched last: many entries, hardly ever a protected name.
constexpr std::array bulky_folders = {"node_modules", ".venv",  "venv", "target",      "build",
                                      "dist",         "vendor", ".tox", "__pycache__", ".cache"};

// Inside a git directory: what makes git run something or look elsewhere.
constexpr std::array git_names = {"hooks", "config", "config.worktree", "info", "commondir"};

constexpr uint32_t near = 2;  // how deep every name is asked for by itself
constexpr size_t most_foreign = 10;
constexpr size_t most_git_depth = 6;  // modules of modules

struct CloseListing {
  void operator()(DIR* listing) const { ::closedir(listing); }
};

struct Folder {
  std::string path;
  uint32_t depth;
};

class Search {
 public:
  Search(const std::string& workspace, const std::vector<std::string>& more, OwnerSearch owners,
         const SearchBudget& budget)
      : workspace_(workspace), owners_(owners), budget_(budget), patterns_(protected_name_patterns()) {
    patterns_.insert(patterns_.end(), more.begin(), more.end());
  }

  WorkspaceSearch run();

 private:
  void walk(const Folder& folder);
  void visit(int at, const Folder& folder, const dirent& entry);
  void match_patterns(const std::string& path, const std::string& name, bool is_folder);
  void look_for_names(int at, const Folder& folder);
  void match(const std::string& path, const std::string& name, bool is_folder);
  void look_into_git(const std::string& folder, size_t depth);
  void look_for_git_folders(const std::string& folder, size_t depth);
  void look_for_git_names(const std::string& folder);
  void protect(const std::string& path);
  void note_foreign(const std::string& path, const struct stat& status);

  const std::string& workspace_;
  const OwnerSearch owners_;
  const SearchBudget& budget_;
  std::vector<std::string> patterns_;
  std::deque<Folder> waiting_;
  std::deque<Folder> bulky_;
  uint32_t seen_ = 0;
  struct stat root_ {};
  WorkspaceSearch result_;
};

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

WorkspaceSearch Search::run() {
  if (::lstat(workspace_.c_str(), &root_) != 0 || !S_ISDIR(root_.st_mode)) return result_;
  waiting_.push_back({workspace_, 0});
  if (const std::optional<std::string> git = linked_git_directory(workspace_)) look_into_git(*git, 0);
  while (result_.protected_paths.complete && !(waiting_.empty() && bulky_.empty())) {
    std::deque<Folder>& next = waiting_.empty() ? bulky_ : waiting_;
    const Folder folder = std::move(next.front());
    next.pop_front();
    walk(folder);
  }
  for (std::vector<std::string>* list : {&result_.protected_paths.read_only, &result_.protected_paths.pinned}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return result_;
}

void Search::walk(const Folder& folder) {
  UniqueFd fd(::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return;
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0 || status.st_dev != root_.st_dev) return;
  const std::unique_ptr<DIR, CloseListing> listing(::fdopendir(fd.get()));
  if (!listing) return;
  (void)fd.release();
  // Before a crowd of others can use the budget up.
  if (folder.depth < near) look_for_names(::dirfd(listing.get()), folder);
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (++seen_ > budget_.entries) {
      result_.protected_paths.complete = false;
      return;
    }
    visit(::dirfd(listing.get()), folder, *entry);
  }
}

void Search::visit(int at, const Folder& folder, const dirent& entry) {
  const std::string name = entry.d_name;
  const std::string path = folder.path + "/" + name;
  bool is_folder = entry.d_type == DT_DIR;
  const bool ask_owner = owners_ == OwnerSearch::named && seen_ <= budget_.owners;
  if (ask_owner || entry.d_type == DT_UNKNOWN) {  // else the listing says enough
    struct stat status {};
    if (::fstatat(at, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    note_foreign(path, status);
    is_folder = S_ISDIR(status.st_mode);
  }
  if (folder.depth >= near) match(path, name, is_folder);
  if (name == ".git") return;
  if (is_folder && folder.depth + 1 >= budget_.depth) {
    result_.protected_paths.complete = false;
  } else if (is_folder) {
    const bool bulky = std::ranges::find(bulky_folders, name) != bulky_folders.end();
    (bulky ? bulky_ : waiting_).push_back({path, folder.depth + 1});
  }
}

void Search::look_for_names(int at, const Folder& folder) {
  std::set<std::string> names_here = {".git"};
  for (const std::string& pattern : patterns_) names_here.insert(pattern.substr(0, pattern.find('/')));
  for (const std::string& name : names_here) {
    struct stat status {};
    if (::fstatat(at, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    match(folder.path + "/" + name, name, S_ISDIR(status.st_mode));
  }
}

void Search::match(const std::string& path, const std::string& name, bool is_folder) {
  match_patterns(path, name, is_folder);
  if (name != ".git") return;
  if (!is_folder) return protect(path);  // a file that says where the git directory is
  result_.protected_paths.pinned.push_back(path);
  look_into_git(path, 0);
}

void Search::match_patterns(const std::string& path, const std::string& name, bool is_folder) {
  for (const std::string& pattern : patterns_) {
    const size_t slash = pattern.find('/');
    if (pattern.compare(0, slash, name) != 0) continue;
    if (slash == std::string::npos) {
      protect(path);
    } else if (is_folder && exists(path + pattern.substr(slash))) {
      result_.protected_paths.pinned.push_back(path);
      protect(path + pattern.substr(slash));
    }
  }
}

void Search::look_for_git_names(const std::string& folder) {
  for (const char* name : git_names) {
    struct stat status {};
    const std::string path = folder + "/" + name;
    if (::lstat(path.c_str(), &status) == 0) protect(path);
  }
}

void Search::look_into_git(const std::string& folder, size_t depth) {
  look_for_git_names(folder);
  look_for_git_folders(folder + "/modules", depth + 1);
  look_for_git_folders(folder + "/worktrees", depth + 1);
}

// Submodules and worktrees have git directories of their own, and a submodule's name may hold slashes.
void Search::look_for_git_folders(const std::string& folder, size_t depth) {
  Result<std::vector<std::string>> inner = list_directory(folder);
  if (!inner) return;
  for (const std::string& name : *inner) {
    const std::string path = folder + "/" + name;
    if (++seen_ > budget_.entries || depth > most_git_depth) {
      result_.protected_paths.complete = false;
      return;
    }
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    if (exists(path + "/HEAD")) {
      result_.protected_paths.pinned.push_back(path);
      look_into_git(path, depth);
    } else {
      look_for_git_folders(path, depth + 1);
    }
  }
}

void Search::protect(const std::string& path) {
  ProtectedPaths& found = result_.protected_paths;
  if (found.read_only.size() + found.links.size() >= budget_.found) {
    found.complete = false;
    return;
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (!S_ISLNK(status.st_mode)) {
    found.read_only.push_back(path);
    return;
  }
  found.links.push_back(path);
  const std::string real = real_path(path);
  if (is_below(real, workspace_)) found.read_only.push_back(real);
}

// Where owners are mapped, the kernel lets nobody write to what has an owner or a group that the mapping does not know,
// whatever its mode says: the change would be recorded for someone who does not exist inside.
void Search::note_foreign(const std::string& path, const struct stat& status) {
  const bool known = status.st_uid == root_.st_uid && status.st_gid == root_.st_gid;
  if (known || S_ISLNK(status.st_mode)) return;
  if (result_.foreign.size() < most_foreign) result_.foreign.push_back(path);
}

// The text of a small file without its line end.
std::string small_file_text(const std::string& path) {
  return std::string(trim(read_named_file(path, 4096).value_or("")));
}

// Whether this is the git directory of a submodule, in that of another repository, that has its files in `workspace`.
bool is_submodule(const std::string& git, const std::string& workspace) {
  const bool placed = git.find("/modules/") != std::string::npos && !is_below(git, workspace);
  if (!placed || !exists(git + "/HEAD") || !exists(git + "/objects") || exists(git + "/commondir")) return false;
  const std::optional<std::string> text = read_named_file(git + "/config", 1 << 20);
  const Result<std::vector<GitConfigEntry>> entries = text ? read_git_config(*text) : std::vector<GitConfigEntry>();
  if (!entries) return false;
  std::string files;
  for (const GitConfigEntry& entry : *entries) {
    if (entry.key() == "core.worktree") files = entry.value.value_or("");
  }
  if (!files.empty() && !files.starts_with('/')) files = git + "/" + files;
  return !files.empty() && real_path(files) == real_path(workspace);
}

}  // namespace

std::vector<std::string> protected_name_patterns() {
  std::vector<std::string> patterns;
  for (const Danger& danger : danger_table()) {
    // What is held may change with a commit that is checked out, so it is watched instead.
    const bool may_change = danger.kind == DangerClass::reported || danger.kind == DangerClass::held;
    if (!may_change) patterns.emplace_back(danger.pattern);
  }
  return patterns;
}

WorkspaceSearch search_workspace(const std::string& workspace, const std::vector<std::string>& more, OwnerSearch owners,
                                 const SearchBudget& budget) {
  return Search(workspace, more, owners, budget).run();
}

std::optional<std::string> linked_git_directory(const std::string& workspace) {
  const std::string pointer = small_file_text(workspace + "/.git");
  constexpr std::string_view prefix = "gitdir: ";
  if (!pointer.starts_with(prefix)) return std::nullopt;
  std::string worktree = pointer.substr(prefix.size());
  if (!worktree.starts_with('/')) worktree = workspace + "/" + worktree;
  worktree = real_path(worktree);
  if (is_submodule(worktree, workspace)) return worktree;
  if (worktree.empty() || real_path(small_file_text(worktree + "/gitdir")) != real_path(workspace + "/.git")) {
    return std::nullopt;
  }
  std::string common = small_file_text(worktree + "/commondir");
  if (common.empty()) return std::nullopt;
  if (!common.starts_with('/')) common = worktree + "/" + common;
  common = real_path(common);
  const bool is_git = !common.empty() && exists(common + "/HEAD") && exists(common + "/objects") &&
                      is_below(worktree, common + "/worktrees");
  if (!is_git || is_below(common, workspace)) return std::nullopt;
  return common;
}

}  // namespace talaria
