#include "guard/git_guard.h"

#include <fcntl.h>

#include <algorithm>

#include "guard/git_config.h"

namespace talaria {
namespace {

constexpr size_t most_in_a_crowd = 1'000'000;
constexpr auto time_to_make = 500ms;
constexpr const char* locked_rule = "git-locked";
constexpr const char* rebase_rule = "git-rebase";

// The git directory below `modules` or `worktrees` that the path is in, if it is in one.
std::string inner_of(const std::string& path, const std::set<std::string>& inner) {
  for (const std::string& one : inner) {
    if (path.size() > one.size() && path.starts_with(one) && path[one.size()] == '/') return one;
  }
  return "";
}

// Whether every setting of `now` is harmless or was in `before`, and no address leads elsewhere than before.
bool adds_no_danger(const std::string& before, const std::string& now) {
  const Result<std::vector<GitConfigEntry>> old = read_git_config(before), entries = read_git_config(now);
  if (!old || !entries) return false;
  return std::ranges::all_of(*entries, [&](const GitConfigEntry& entry) {
    bool had_other_value = false;
    for (const GitConfigEntry& one : *old) {
      if (one.key() != entry.key()) continue;
      if (one.value == entry.value) return true;
      had_other_value = true;
    }
    const bool is_address = entry.name == "url" || entry.name == "pushurl" || entry.name == "worktree";
    return !danger_in(entry) && !(is_address && had_other_value);
  });
}

}  // namespace

bool Newcomers::may_be_judged(const std::string& path, Look look) {
  const auto now = Clock::now();
  const auto noticed = noticed_.try_emplace(path, now).first->second;
  return look == Look::final || now - noticed >= time_to_make;
}

void GitGuard::accept(const std::string& path) {
  const UniqueFd directory = open_guarded_folder(root_, path);
  if (!directory) return;
  new_.erase(path);
  OldFolder& folder = old_[path];
  if (folder.clean && !folder.known.folders.empty() && folder.rebases.empty() && !shows_rebase(folder.known) &&
      is_still_so(directory.get(), folder.known))
    return;
  folder.known = take_git_inventory(directory.get(), folder.known.locked);
  folder.clean = true;
  folder.rebases.clear();
  for (const GitFinding& finding : judge_rebase_state(directory.get())) folder.rebases.insert(finding.path);
}

void GitGuard::note_new(const std::string& path) {
  if (!knows(path)) new_.insert(path);
}

std::vector<std::string> GitGuard::drop_lapsed() {
  std::vector<std::string> lapsed;
  for (auto path = new_.begin(); path != new_.end();) {
    const UniqueFd directory = open_closed_folder(root_, *path);
    const bool stays = directory && (name_part(*path) == ".git" || looks_like_git_folder(directory.get()));
    if (directory && !stays) lapsed.push_back(*path);
    path = stays ? std::next(path) : new_.erase(path);
  }
  return lapsed;
}

std::vector<std::string> GitGuard::roots() const {
  std::vector<std::string> roots;
  for (const auto& [path, folder] : old_) {
    if (name_part(path) == ".git") roots.push_back(folder_part(path));
  }
  return roots;
}

void GitGuard::accept_all() {
  std::vector<std::string> paths;
  for (const auto& [path, folder] : old_) paths.push_back(path);
  for (const std::string& path : paths) {
    const UniqueFd directory = open_guarded_folder(root_, path);
    if (directory) accept(path);
    else old_.erase(path);
  }
}

GitSurroundings GitGuard::surroundings_of(const std::string& path) const {
  GitSurroundings surroundings;
  surroundings.workspace = root_;
  surroundings.workspace_path = workspace_;
  surroundings.place = path;
  return surroundings;
}

bool GitGuard::was_the_persons(const std::string& path, const std::string& name) const {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(joined(path, name)));
  const std::optional<KnownEntry> now = folder ? look_at_entry(folder.get(), name_part(name)) : std::nullopt;
  if (!now || now->kind == KnownEntry::Kind::folder) return false;
  return std::ranges::any_of(old_, [&](const auto& old) {
    const LockedEntries& locked = old.second.known.locked;
    const auto before = locked.find(name);
    return before != locked.end() && before->second.same_content(*now);
  });
}

void GitGuard::cure(const std::string& path, const GitFinding& finding) {
  const std::string place = joined(path, finding.path);
  if (was_the_persons(path, finding.path) || remedies_.is_wanted(place)) return;
  const Remedies::Why why{finding.rule, finding.why};
  if (finding.cure == GitCure::rewrite) remedies_.rewrite(place, finding.content, why);
  else remedies_.take_away(place, why);
}

// A .git that is not whole yet is judged when a command has ended: the person's `git init` would complete it, and keep
// its settings and hooks.
void GitGuard::judge_new(const std::string& path, int directory, Look look) {
  const bool half = look == Look::final && name_part(path) == ".git";
  if (!half && !looks_like_git_folder(directory)) return;
  for (const GitFinding& finding : judge_git_folder(directory, surroundings_of(path))) {
    if (finding.rule != rebase_rule || look == Look::final) cure(path, finding);
  }
}

// The person may work in the repository while commands run, and git replaces its files. A change by which nothing can
// be run is theirs to make, whoever made it.
void GitGuard::judge_change(const std::string& path, KnownEntry& before, const KnownEntry& now) {
  const bool folders = before.kind == KnownEntry::Kind::folder && now.kind == before.kind;
  const bool is_config = name_part(path) == "config" || name_part(path) == "config.worktree";
  const bool plain = before.kind == KnownEntry::Kind::file && now.kind == before.kind && before.whole && now.whole;
  if (folders || before.same_content(now) || mounted_.hold(path) ||
      (is_config && plain && adds_no_danger(before.content, now.content))) {
    before = now;
    before.settled = false;
    return;
  }
  remedies_.restore(
      path, before,
      {locked_rule,
       "git runs what it says, and a command may have changed it; if the person did, they can restore their version"});
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  const std::optional<KnownEntry> again = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
  if (again) before.status = again->status;
  before.settled = false;
}

// What commands made in a known git directory that is one itself.
bool GitGuard::judge_inner(const std::string& path, int directory, const std::set<std::string>& added, Look look) {
  for (const std::string& inner : added) {
    const UniqueFd inner_directory = open_guarded_folder(directory, inner);
    if (inner_directory && newcomers_.may_be_judged(joined(path, inner), look))
      judge_new(joined(path, inner), inner_directory.get(), look);
  }
  return added.empty();
}

// False where something is new or was changed, so that the next look is as thorough.
bool GitGuard::judge_locked(const std::string& path, OldFolder& folder, const GitInventory& now,
                            const std::set<std::string>& added, Look look) {
  const Remedies::Why why{locked_rule, "it can make git run programs or use another repository"};
  LockedEntries& known = folder.known.locked;
  bool clean = true;
  for (const auto& [name, entry] : now.locked) {
    const auto before = known.find(name);
    const std::string place = joined(path, name);
    if (before != known.end()) {
      if (is_untouched(before->second, entry.status)) continue;
      judge_change(place, before->second, entry);
      clean = false;
      continue;
    }
    clean = false;
    if (mounted_.hold(place)) {
      known.emplace(name, entry);
      continue;
    }
    // What lies in a folder that is new too goes with that one.
    const bool covered = now.locked.contains(folder_part(name)) && !known.contains(folder_part(name));
    const bool fine = entry.kind == KnownEntry::Kind::folder && folder_part(name).empty() && name != "hooks";
    // Git makes the folder of a worktree or submodule file by file: before it is one, it is in the making.
    const bool in_the_making = name.find('/') != std::string::npos && !folder.known.inner.contains(folder_part(name)) &&
                               (name.starts_with("worktrees/") || name.starts_with("modules/"));
    if (in_the_making && look == Look::hasty) continue;  // until it is one, git does not use it
    if (inner_of(name, added).empty() && !covered && !fine && !remedies_.is_wanted(place)) {
      remedies_.take_away(place, why);
    }
  }
  return clean;
}

// A setting or hook that is gone, while the git directory it belongs to is still one.
void GitGuard::judge_removed(const std::string& path, LockedEntries& known, const GitInventory& now) {
  for (auto& [name, before] : known) {
    const bool plain = before.kind == KnownEntry::Kind::file || before.kind == KnownEntry::Kind::link;
    if (now.locked.contains(name) || !plain || !before.whole) continue;
    const std::string folder = folder_part(name);
    const std::string owner =
        name_part(folder) == "hooks" || name_part(folder) == "info" ? folder_part(folder) : folder;
    const std::string place = joined(path, name);
    if ((!owner.empty() && !now.inner.contains(owner)) || mounted_.hold(place)) continue;
    remedies_.restore(place, before, {locked_rule, "it was removed, and git would do without it"});
    const UniqueFd around = open_guarded_folder(root_, folder_part(place));
    const std::optional<KnownEntry> again = around ? look_at_entry(around.get(), name_part(name)) : std::nullopt;
    if (again) before.status = again->status;
    before.settled = false;
  }
}

// There is more in it than is looked at. Where there was not before, the folders that are new go.
void GitGuard::judge_crowd(const std::string& path, int directory, const GitInventory& known) {
  const Remedies::Why why{locked_rule,
                          "the git directory holds more than can be looked through, so nobody can say "
                          "what git would run because of it"};
  if (!known.complete) return;
  for (const auto& [name, status] : known.folders) {
    const UniqueFd folder = open_guarded_folder(directory, name);
    if (!folder) continue;
    const bool is_git = name.empty() || known.inner.contains(name);
    for (const FolderEntry& entry : entries_of(folder.get(), most_in_a_crowd)) {
      const std::string inner = joined(name, entry.name);
      if (!entry.is_folder || known.folders.contains(inner) || (is_git && is_git_data(inner))) continue;
      remedies_.take_away(joined(path, inner), why);
    }
  }
}

void GitGuard::judge_rebase(const std::string& path, int directory, const OldFolder& folder) {
  for (const GitFinding& finding : judge_rebase_state(directory)) {
    if (!folder.rebases.contains(finding.path)) cure(path, finding);
  }
}

void GitGuard::judge_old(const std::string& path, OldFolder& folder, Look look) {
  const UniqueFd directory = open_guarded_folder(root_, path);
  if (!directory) return;
  GitInventory& known = folder.known;
  if (folder.clean && !shows_rebase(known) && is_still_so(directory.get(), known)) return;
  GitInventory now = take_git_inventory(directory.get(), known.locked);
  if (!now.complete) judge_crowd(path, directory.get(), known);
  std::set<std::string> added;
  std::ranges::set_difference(now.inner, known.inner, std::inserter(added, added.end()));
  const bool no_inner = judge_inner(path, directory.get(), added, look);
  const bool no_change = judge_locked(path, folder, now, added, look);
  if (now.complete && looks_like_git_folder(directory.get())) judge_removed(path, known.locked, now);
  // While it runs, git itself goes on with what stands there: `git rebase --exec`.
  if (look == Look::final) judge_rebase(path, directory.get(), folder);
  folder.clean = no_inner && no_change && now.complete;
  if (folder.clean) known.folders = std::move(now.folders);
}

void GitGuard::judge(Look look) {
  for (auto& [path, folder] : old_) judge_old(path, folder, look);
  for (const std::string& path : new_) {
    const UniqueFd directory = open_closed_folder(root_, path);
    if (directory && newcomers_.may_be_judged(path, look)) judge_new(path, directory.get(), look);
  }
}

}  // namespace talaria
