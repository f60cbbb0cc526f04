#include "guard/workspace_guard.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t most_in_a_folder = 1'000'000;
constexpr size_t most_below_a_name = 2000;
constexpr std::array git_signs = {"HEAD", "objects", "refs", "commondir"};
constexpr const char* git_file_rule = "git-file";
constexpr const char* git_file_why = "git takes the folder it names for the repository";

}  // namespace

WorkspaceGuard::WorkspaceGuard(const GuardOrder& order, UniqueFd root, IsCommitted is_committed)
    : root_(std::move(root)),
      workspace_(order.workspace),
      dangers_(order.protected_names),
      is_committed_(std::move(is_committed)),
      remedies_(root_.get(), order.workspace, order.session, order.quarantine),
      watch_(FolderWatch::start()),
      mounted_(root_.get(), order.read_only),
      git_(root_.get(), order.workspace, remedies_, mounted_) {}

Result<std::unique_ptr<WorkspaceGuard>> WorkspaceGuard::start(const GuardOrder& order, IsCommitted is_committed) {
  UniqueFd root = TRY(open_file(order.workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  std::unique_ptr<WorkspaceGuard> guard(new WorkspaceGuard(order, std::move(root), std::move(is_committed)));
  guard->walk("", Doing::persons);
  return guard;
}

void WorkspaceGuard::walk(const std::string& path, Doing doing) {
  folders_.push_back(path);
  while (!folders_.empty()) {
    const std::string next = std::move(folders_.back());
    folders_.pop_back();
    const UniqueFd folder = open_guarded_folder(root_.get(), next);
    if (!folder) continue;
    watch_.add(folder.get(), next);  // first, so that nothing is made between the look and the watch
    for (const FolderEntry& entry : entries_of(folder.get(), most_in_a_folder)) note(next, folder.get(), entry, doing);
  }
}

void WorkspaceGuard::note_git(const std::string& path, bool is_folder, Doing doing) {
  const bool persons = doing == Doing::persons;
  if (!is_folder) {
    suspects_.insert_or_assign(path, DangerousName{path, DangerClass::locked, git_file_rule, git_file_why});
  } else if (persons) {
    git_.accept(path);
  } else {
    git_.note_new(path);
  }
  const UniqueFd folder = is_folder ? open_guarded_folder(root_.get(), path) : UniqueFd();
  if (folder) watch_.add(folder.get(), path);
}

// What lies in a git directory is GitGuard's.
void WorkspaceGuard::note(const std::string& folder, int directory, const FolderEntry& entry, Doing doing) {
  const std::string path = joined(folder, entry.name);
  if (entry.name == ".git") return note_git(path, entry.is_folder, doing);
  if (git_.knows(folder)) return;
  if (std::optional<DangerousName> name = dangers_.find(path)) suspects_.insert_or_assign(name->path, *name);
  else if (!entry.is_folder && dangers_.is_first_part(entry.name)) {
    suspects_.insert_or_assign(path,
                               DangerousName{path, DangerClass::held, "link", "it may lead to what programs run"});
  }
  const bool sign = std::ranges::find(git_signs, entry.name) != git_signs.end();
  if (sign && looks_like_git_folder(directory)) {
    note_git(folder, true, doing);
  } else if (entry.is_folder) {
    folders_.push_back(path);
  }
}

void WorkspaceGuard::look_around(Doing doing) {
  const FolderWatch::Drained drained = watch_.drain();
  if (drained.lost) return walk("", doing);
  for (const FolderWatch::Entry& entry : drained.entries) {
    const UniqueFd folder = open_guarded_folder(root_.get(), entry.folder);
    struct stat status {};
    if (!folder || ::fstatat(folder.get(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    note(entry.folder, folder.get(), {entry.name, S_ISDIR(status.st_mode)}, doing);
    if (folders_.empty()) continue;
    const std::string next = std::move(folders_.back());
    folders_.pop_back();
    walk(next, doing);
  }
}

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

void WorkspaceGuard::accept(const std::string& path, const DangerousName& name) {
  const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
  std::optional<KnownEntry> entry = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
  if (!entry) {
    known_.erase(path);
    return;
  }
  const bool is_folder = entry->kind == KnownEntry::Kind::folder;
  known_.insert_or_assign(path, Known{*std::move(entry), name});
  if (!is_folder) return;
  for (const std::string& inner : below(path)) accept(inner, name);
}

void WorkspaceGuard::absorb() {
  look_around(Doing::persons);
  std::map<std::string, DangerousName> names;
  names.swap(suspects_);
  for (const auto& [path, known] : known_) {
    if (!is_as_it_was(path, known.entry)) names.insert_or_assign(path, known.name);
  }
  for (const auto& [path, name] : names) accept(path, name);
  git_.accept_all();
}

bool WorkspaceGuard::may_stay(const std::string& path, const KnownEntry& entry) {
  if (remedies_.is_wanted(path)) return true;
  // A file that was moved is still the person's.
  const auto same = [&](const auto& known) {
    return name_part(known.first) == name_part(path) && known.second.entry.same_content(entry);
  };
  if (std::ranges::any_of(known_, same)) return true;
  const bool plain = entry.kind == KnownEntry::Kind::file || entry.kind == KnownEntry::Kind::link;
  return plain && entry.whole && is_committed_ && is_committed_(path, entry.content);
}

// One file or link under a dangerous name, in a place where nothing was or something else was.
void WorkspaceGuard::judge_entry(const std::string& path, const DangerousName& name) {
  const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
  std::optional<KnownEntry> now = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
  if (!now) return;
  const auto known = known_.find(path);
  const bool seen = known != known_.end();
  if (seen && (is_untouched(known->second.entry.status, now->status) || known->second.entry.same_content(*now))) {
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
  const std::vector<std::string> inside = below(name.path);
  const auto stays = [&](const std::string& path) {
    const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
    const std::optional<KnownEntry> entry = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
    return !entry || may_stay(path, *entry);
  };
  const bool is_new = !known_.contains(name.path);
  if (is_new && !(remedies_.is_wanted(name.path) || std::ranges::all_of(inside, stays))) {
    return remedies_.take_away(name.path, {name.rule, name.why});
  }
  if (is_new) return accept(name.path, name), remedies_.keep(name.path, {name.rule, name.why});
  for (const std::string& path : inside) judge_entry(path, name);
}

void WorkspaceGuard::judge_suspects(Look look) {
  std::map<std::string, DangerousName> suspects;
  suspects.swap(suspects_);
  for (const auto& [path, name] : suspects) {
    const bool too_early = name.rule == git_file_rule && !git_files_.may_be_judged(path, look);
    if (too_early) suspects_.emplace(path, name);
    else judge_name(name);
  }
}

bool WorkspaceGuard::is_as_it_was(const std::string& path, const KnownEntry& entry) const {
  const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
  struct stat now {};
  const bool there = folder && ::fstatat(folder.get(), name_part(path).c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
  return there && is_untouched(entry.status, now);
}

// Also what nothing tells of: a write through another name of the same file, or through memory.
void WorkspaceGuard::judge_known() {
  std::vector<std::pair<std::string, DangerousName>> touched;
  for (const auto& [path, known] : known_) {
    if (!is_as_it_was(path, known.entry)) touched.emplace_back(path, known.name);
  }
  for (const auto& [path, name] : touched) {
    if (path == name.path) judge_name(name);
    else judge_entry(path, name);
  }
}

std::vector<Violation> WorkspaceGuard::judge(Look look) {
  look_around(Doing::commands);
  judge_suspects(look);
  judge_known();
  git_.judge(look);
  return remedies_.take_reports();
}

}  // namespace talaria
