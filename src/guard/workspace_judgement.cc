// What WorkspaceGuard does about what it found.
#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "guard/git_paths.h"
#include "guard/hostile_file.h"
#include "guard/workspace_guard.h"

namespace talaria {
namespace {

constexpr size_t most_below_a_name = 2000;
constexpr size_t few = 4;

}  // namespace

std::vector<std::string> WorkspaceGuard::below(const std::string& path) const {
  std::vector<std::string> found, waiting = {path};
  while (!waiting.empty() && found.size() < most_below_a_name) {
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    const UniqueFd folder = open_guarded_folder(root_.get(), next);
    if (!folder) continue;
    for (const FolderEntry& entry : entries_of(folder.get(), most_below_a_name)) {
      const std::string inner = joined(next, entry.name);
      if (entry.is_folder) waiting.push_back(inner);
      else found.push_back(inner);
    }
  }
  return found;
}

bool WorkspaceGuard::may_stay(const std::string& path, const KnownEntry& entry) {
  if (remedies_.is_wanted(path)) return true;
  // A file that was moved is still the person's.
  const auto same = [&](const auto& known) {
    return name_part(known.first) == name_part(path) && known.second.entry.same_content(entry);
  };
  if (std::ranges::any_of(known_, same)) return true;
  const bool plain = entry.kind == KnownEntry::Kind::file || entry.kind == KnownEntry::Kind::link;
  if (!plain || !entry.whole || !is_committed_) return false;
  return is_committed_(path, entry.content) ||
         std::ranges::any_of(paths_in_worktrees(path),
                             [&](const std::string& inner) { return is_committed_(inner, entry.content); });
}

// A worktree in the workspace has what a commit has, one or more folders deeper.
std::vector<std::string> WorkspaceGuard::paths_in_worktrees(const std::string& path) const {
  std::vector<std::string> paths;
  for (std::string above = folder_part(path); !above.empty(); above = folder_part(above)) {
    const UniqueFd folder = open_guarded_folder(root_.get(), above);
    struct stat status {};
    const bool has_git_file =
        folder && ::fstatat(folder.get(), ".git", &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
    if (has_git_file) paths.push_back(path.substr(above.size() + 1));
  }
  return paths;
}

// One file or link under a dangerous name, in a place where nothing was or something else was.
void WorkspaceGuard::judge_entry(const std::string& path, const DangerousName& name) {
  const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
  std::optional<KnownEntry> now = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
  if (!now) return;
  const auto known = known_.find(path);
  const bool seen = known != known_.end();
  const bool untouched = seen && is_untouched(known->second.entry, now->status);
  now->settled &= untouched;  // a command may still have it in its memory
  if (untouched || (seen && known->second.entry.same_content(*now))) {
    known->second.entry = *std::move(now);
    return;
  }
  if (mounted_.hold(path)) {
    known_.insert_or_assign(path, Known{*std::move(now), name});
    return;
  }
  if (may_stay(path, *now)) {
    remedies_.keep(path, {name.rule, name.why});
    known_.insert_or_assign(path, Known{*std::move(now), name});
    return;
  }
  if (!seen) return remedies_.take_away(path, {name.rule, name.why});
  remedies_.restore(path, known->second.entry, {name.rule, name.why});
  if (std::optional<KnownEntry> again = look_at_entry(folder.get(), name_part(path))) {
    known->second.entry.status = again->status;
    known->second.entry.settled = false;
  }
}

void WorkspaceGuard::judge_name(const DangerousName& name) {
  if (name.rule == git_file_rule && !known_.contains(name.path)) {
    const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(name.path));
    GitSurroundings around{root_.get(), workspace_, folder_part(name.path), {}};
    if (!folder || judge_git_file(folder.get(), ".git", around).empty()) return;
    return remedies_.take_away(name.path, {name.rule, name.why});
  }
  const UniqueFd as_folder = open_guarded_folder(root_.get(), name.path);
  if (!as_folder) return judge_entry(name.path, name);
  if (!known_.contains(name.path)) return judge_new_folder(name, as_folder.get());
  for (const std::string& path : below(name.path)) judge_entry(path, name);
}

// It stays only with all that is in it. What is remembered is what was judged, whatever is there a moment later.
void WorkspaceGuard::judge_new_folder(const DangerousName& name, int directory) {
  const Remedies::Why why{name.rule, name.why};
  if (remedies_.is_wanted(name.path)) {
    accept(name.path, name, Doing::commands);
    return remedies_.keep(name.path, why);
  }
  std::map<std::string, Known> staying;
  staying.emplace(name.path, Known{look_at_folder(directory), name});
  for (const std::string& path : below(name.path)) {
    const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
    std::optional<KnownEntry> entry = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
    if (!entry) continue;
    if (!may_stay(path, *entry)) return remedies_.take_away(name.path, why);
    staying.emplace(path, Known{*std::move(entry), name});
  }
  for (auto& [path, known] : staying) known.entry.settled = false;
  known_.merge(staying);
  remedies_.keep(name.path, why);
}

bool WorkspaceGuard::leads_to_git_outside(const std::string& path) const {
  const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
  const std::optional<std::string> target = folder ? git_file_target(folder.get(), name_part(path)) : std::nullopt;
  if (!target) return folder && kind_below(folder.get(), name_part(path)) != EntryKind::file;  // else not yet written
  const UniqueFd directory(::openat(folder.get(), target->c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
  const bool outside = !place_in_workspace({root_.get(), workspace_, "", {}}, directory.get());
  return directory && outside && looks_like_git_folder(directory.get());
}

// Each question by itself would take a git of its own: too long for a crowd.
void WorkspaceGuard::announce(const std::map<std::string, DangerousName>& suspects) const {
  if (!expect_ || suspects.size() < few) return;
  std::vector<std::string> contents;
  for (const auto& [path, name] : suspects) {
    const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
    std::optional<KnownEntry> entry = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
    if (entry && entry->kind == KnownEntry::Kind::file && entry->whole) contents.push_back(std::move(entry->content));
  }
  expect_(contents);
}

void WorkspaceGuard::judge_suspects(Look look) {
  std::map<std::string, DangerousName> suspects;
  suspects.swap(suspects_);
  for (const auto& [path, name] : suspects)
    (void)open_closed_folder(root_.get(), path);  // from now on it can be opened
  announce(suspects);
  for (const auto& [path, name] : suspects) {
    // Git makes the file before what it leads to is whole. Until that is a repository, git refuses it, and one in the
    // workspace is judged by itself.
    const bool is_git_file = name.rule == git_file_rule;
    const bool too_early = is_git_file ? look == Look::hasty && !leads_to_git_outside(path) : is_made_now(path, look);
    if (too_early) suspects_.emplace(path, name);
    else judge_name(name);
  }
}

bool WorkspaceGuard::is_made_now(const std::string& path, Look look) {
  std::vector<std::string> files = look == Look::hasty ? below(path) : std::vector<std::string>();
  files.push_back(path);
  return making_.is(path, files, root_.get(), look);
}

bool WorkspaceGuard::is_as_it_was(const std::string& path, const KnownEntry& entry) const {
  const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
  struct stat now {};
  const bool there = folder && ::fstatat(folder.get(), name_part(path).c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
  return there && is_untouched(entry, now);
}

// Also what nothing tells of: a write through another name of the same file, or through memory.
void WorkspaceGuard::judge_known(Look look) {
  std::vector<std::pair<std::string, DangerousName>> touched;
  for (const auto& [path, known] : known_) {
    if (!is_as_it_was(path, known.entry)) touched.emplace_back(path, known.name);
  }
  for (const auto& [path, name] : touched) {
    if (is_made_now(path, look)) continue;
    if (path == name.path) judge_name(name);
    else judge_entry(path, name);
  }
}

std::vector<Violation> WorkspaceGuard::judge(Look look) {
  look_around(Doing::commands);
  judge_suspects(look);
  judge_known(look);
  git_.judge(look);
  std::vector<Violation> found = remedies_.take_reports();
  if (outside_git_) std::ranges::move(outside_git_->judge(look), std::back_inserter(found));
  return found;
}

}  // namespace talaria
