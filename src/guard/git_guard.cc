#include "guard/git_guard.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "guard/git_config.h"

namespace talaria {
namespace {

constexpr size_t most_listed = 5000;
constexpr size_t deepest = 8;
constexpr auto time_to_make = 500ms;
// Large, and nothing in them makes git run anything.
constexpr std::array data_folders = {"objects", "refs", "logs", "lfs", "rr-cache", "reftable"};
constexpr const char* locked_rule = "git-locked";

bool is_data(const std::string& name) { return std::ranges::find(data_folders, name) != data_folders.end(); }

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

GitGuard::Inventory GitGuard::take_inventory(int directory, const Locked& before) {
  struct Waiting {
    std::string path;
    size_t depth;
  };
  Inventory inventory;
  std::vector<Waiting> waiting = {{"", 0}};
  size_t listed = 0;
  while (!waiting.empty()) {
    const Waiting next = std::move(waiting.back());
    waiting.pop_back();
    const UniqueFd folder = open_guarded_folder(directory, next.path);
    if (!folder) continue;
    const bool is_git = looks_like_git_folder(folder.get());
    if (is_git && !next.path.empty()) inventory.inner.insert(next.path);
    for (const FolderEntry& entry : entries_of(folder.get(), most_listed)) {
      if (++listed > most_listed) return inventory;
      const std::string path = joined(next.path, entry.name);
      if (is_locked_in_git_folder(path)) {
        const auto seen = before.find(path);
        struct stat now {};
        const bool same = seen != before.end() &&
                          ::fstatat(folder.get(), entry.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
                          is_untouched(seen->second.status, now);
        std::optional<KnownEntry> known = same ? seen->second : look_at_entry(folder.get(), entry.name);
        if (known) inventory.locked.emplace(path, *std::move(known));
      }
      const bool skipped = (is_git || next.path.empty()) && is_data(entry.name);
      if (entry.is_folder && !skipped && next.depth < deepest) waiting.push_back({path, next.depth + 1});
    }
  }
  return inventory;
}

void GitGuard::accept(const std::string& path) {
  const UniqueFd directory = open_guarded_folder(root_, path);
  if (!directory) return;
  const auto known = old_.find(path);
  Inventory inventory = take_inventory(directory.get(), known == old_.end() ? Locked() : known->second.locked);
  OldFolder folder{std::move(inventory.locked), std::move(inventory.inner), {}};
  for (const GitFinding& finding : judge_rebase_state(directory.get())) folder.rebases.insert(finding.path);
  old_.insert_or_assign(path, std::move(folder));
  new_.erase(path);
}

void GitGuard::note_new(const std::string& path) {
  if (!knows(path)) new_.insert(path);
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
    const auto before = old.second.locked.find(name);
    return before != old.second.locked.end() && before->second.same_content(*now);
  });
}

void GitGuard::cure(const std::string& path, const GitFinding& finding) {
  const std::string place = joined(path, finding.path);
  if (was_the_persons(path, finding.path) || remedies_.is_wanted(place)) return;
  const Remedies::Why why{finding.rule, finding.why};
  if (finding.cure == GitCure::rewrite) remedies_.rewrite(place, finding.content, why);
  else remedies_.take_away(place, why);
}

void GitGuard::judge_new(const std::string& path, int directory) {
  if (!looks_like_git_folder(directory)) return;
  for (const GitFinding& finding : judge_git_folder(directory, surroundings_of(path))) cure(path, finding);
  for (const GitFinding& finding : judge_rebase_state(directory)) cure(path, finding);
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
    return;
  }
  remedies_.restore(path, before, {locked_rule, "a command inside may have changed it, and git runs what it says"});
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  const std::optional<KnownEntry> again = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
  if (again) before.status = again->status;
}

void GitGuard::judge_old(const std::string& path, OldFolder& folder, Look look) {
  const UniqueFd directory = open_guarded_folder(root_, path);
  if (!directory) return;
  const Inventory now = take_inventory(directory.get(), folder.locked);
  std::set<std::string> added;
  std::ranges::set_difference(now.inner, folder.inner, std::inserter(added, added.end()));
  for (const std::string& inner : added) {
    const UniqueFd inner_directory = open_guarded_folder(directory.get(), inner);
    if (inner_directory && newcomers_.may_be_judged(joined(path, inner), look))
      judge_new(joined(path, inner), inner_directory.get());
  }
  const Remedies::Why why{locked_rule, "git runs programs or works elsewhere because of it"};
  for (const auto& [name, entry] : now.locked) {
    const auto before = folder.locked.find(name);
    const std::string place = joined(path, name);
    if (before == folder.locked.end() && mounted_.hold(place)) {
      folder.locked.emplace(name, entry);
    } else if (before == folder.locked.end()) {
      // What lies in a folder that is new too goes with that one.
      const bool covered = now.locked.contains(folder_part(name)) && !folder.locked.contains(folder_part(name));
      const bool fine = entry.kind == KnownEntry::Kind::folder && folder_part(name).empty() && name != "hooks";
      // Git makes the folder of a worktree or submodule file by file: before it is one, it is in the making.
      const bool in_the_making = name.find('/') != std::string::npos && !folder.inner.contains(folder_part(name)) &&
                                 (name.starts_with("worktrees/") || name.starts_with("modules/"));
      if (in_the_making && !newcomers_.may_be_judged(place, look)) continue;
      if (inner_of(name, added).empty() && !covered && !fine && !remedies_.is_wanted(place)) {
        remedies_.take_away(place, why);
      }
    } else if (!is_untouched(before->second.status, entry.status)) {
      judge_change(place, before->second, entry);
    }
  }
  for (const GitFinding& finding : judge_rebase_state(directory.get())) {
    if (!folder.rebases.contains(finding.path)) cure(path, finding);
  }
}

void GitGuard::judge(Look look) {
  for (auto& [path, folder] : old_) judge_old(path, folder, look);
  for (const std::string& path : new_) {
    const UniqueFd directory = open_guarded_folder(root_, path);
    if (directory && newcomers_.may_be_judged(path, look)) judge_new(path, directory.get());
  }
}

}  // namespace talaria
