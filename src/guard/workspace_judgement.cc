// What WorkspaceGuard does about what it found.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "guard/git_paths.h"
#include "guard/hostile_file.h"
#include "guard/workspace_guard.h"

namespace talaria {
namespace {

constexpr size_t most_below_a_name = 20'000;
constexpr size_t most_folders_below = 100'000;
constexpr size_t most_in_one_folder = 1'000'000;
constexpr size_t most_one_by_one = 1000;
constexpr size_t most_earlier = 200;
constexpr size_t few = 4;

}  // namespace

// Level by level: what programs run lies at the top, and a crowd below must not hide it.
WorkspaceGuard::Below WorkspaceGuard::below(const std::string& path) const {
  Below found;
  std::deque<std::string> waiting = {path};
  for (size_t folders = 0; !waiting.empty(); ++folders) {
    const std::string next = std::move(waiting.front());
    waiting.pop_front();
    const UniqueFd folder = open_guarded_folder(root_.get(), next);
    if (!folder) continue;
    if (folders == most_folders_below || found.paths.size() >= most_below_a_name) {
      found.complete = false;
      break;
    }
    for (const FolderEntry& entry : entries_of(folder.get(), most_in_one_folder)) {
      (entry.is_folder ? waiting.emplace_back() : found.paths.emplace_back()) = joined(next, entry.name);
    }
  }
  return found;
}

// Very many: folders in which nothing of the person's was go whole. One by one that would take minutes.
void WorkspaceGuard::judge_crowd(const DangerousName& name, int directory) {
  for (const FolderEntry& entry : entries_of(directory, most_in_one_folder)) {
    const std::string path = joined(name.path, entry.name);
    const auto first = known_.lower_bound(path + "/");
    const bool persons = first != known_.end() && is_within(first->first, path);
    if (!entry.is_folder || persons) continue;
    remedies_.take_away(path, {name.rule, name.why + ", and it is among more than is looked at one by one"});
  }
}

bool WorkspaceGuard::may_stay(const std::string& path, const KnownEntry& entry) {
  if (remedies_.is_wanted(path)) return true;
  // A file that was moved is still the person's.
  const auto same = [&](const auto& known) {
    return name_part(known.first) == name_part(path) && known.second.entry.same_content(entry);
  };
  if (std::ranges::any_of(known_, same)) return true;
  // `git stash` puts the commit's version in its place, and `git stash pop` brings the person's back.
  const auto stood_here = [&](const auto& one) { return one.first == path && one.second.same_content(entry); };
  if (std::ranges::any_of(earlier_, stood_here)) return true;
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
  const auto known = known_.find(path);
  const bool seen = known != known_.end();
  if (!now && seen) return bring_back(path, known->second);
  if (!now) return;
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
    if (seen && earlier_.size() < most_earlier) earlier_.emplace_back(path, known->second.entry);
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

// What is locked stays also where no mount keeps it: without an agent's settings its refusals are gone. Who removes or
// moves the folder around it takes it along.
void WorkspaceGuard::bring_back(const std::string& path, Known& known) {
  const bool plain = known.entry.kind == KnownEntry::Kind::file || known.entry.kind == KnownEntry::Kind::link;
  if (known.name.kind != DangerClass::locked || !plain || !known.entry.whole) return;
  if (known.name.rule == git_file_rule) return;
  const std::string around = folder_part(known.name.path);
  UniqueFd folder = open_guarded_folder(root_.get(), around);
  const std::string inside = folder_part(path).substr(std::min(folder_part(path).size(), around.size()));
  for (const std::string& name : split(inside, '/')) {
    struct stat above {};
    if (!folder || ::fstat(folder.get(), &above) != 0) return;
    if (name.empty()) continue;
    if (::mkdirat(folder.get(), name.c_str(), above.st_mode & 0777) == 0)
      (void)!::fchownat(folder.get(), name.c_str(), above.st_uid, above.st_gid, AT_SYMLINK_NOFOLLOW);
    folder = open_guarded_folder(folder.get(), name);
  }
  if (!folder) return;
  remedies_.restore(path, known.entry, {known.name.rule, known.name.why});
  if (const std::optional<KnownEntry> again = look_at_entry(folder.get(), name_part(path))) {
    known.entry.status = again->status;
    known.entry.settled = false;
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
  Below inner = below(name.path);
  if (!inner.complete || inner.paths.size() > most_one_by_one) {
    judge_crowd(name, as_folder.get());
    inner = below(name.path);
  }
  for (const std::string& path : inner.paths) judge_entry(path, name);
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
  const Below inner = below(name.path);
  if (!inner.complete) return remedies_.take_away(name.path, why);
  for (const std::string& path : inner.paths) {
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
  if (remedies_.took_from(path)) return false;
  std::vector<std::string> files = look == Look::hasty ? below(path).paths : std::vector<std::string>();
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
