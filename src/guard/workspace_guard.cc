#include "guard/workspace_guard.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "guard/git_paths.h"
#include "guard/hostile_file.h"
#include "guard/named_paths.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t most_in_a_folder = 1'000'000;
constexpr int most_links = 40;  // as the kernel
constexpr std::array git_signs = {"HEAD", "objects", "refs", "commondir"};
constexpr const char* git_file_why = "it points git at another repository";

}  // namespace

WorkspaceGuard::WorkspaceGuard(const GuardOrder& order, UniqueFd root, IsCommitted is_committed, Expect expect)
    : root_(std::move(root)),
      workspace_(order.workspace),
      home_(order.home),
      dangers_(order.protected_names),
      is_committed_(std::move(is_committed)),
      expect_(std::move(expect)),
      remedies_(root_.get(), order.workspace, order.session, order.quarantine),
      watch_(FolderWatch::start()),
      mounted_(root_.get(), order.read_only),
      git_(root_.get(), order.workspace, remedies_, mounted_),
      outside_git_(OutsideGit::start({order.git_directory, order.git_read_only, order.session, order.quarantine})) {}

Result<std::unique_ptr<WorkspaceGuard>> WorkspaceGuard::start(const GuardOrder& order, IsCommitted is_committed,
                                                              Expect expect) {
  UniqueFd root = TRY(open_file(order.workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  std::unique_ptr<WorkspaceGuard> guard(
      new WorkspaceGuard(order, std::move(root), std::move(is_committed), std::move(expect)));
  guard->look_for_named();  // names of all repositories
  guard->walk("", Doing::persons);
  return guard;
}

// Where a repository of the person's begins.
std::vector<std::string> WorkspaceGuard::roots() const {
  std::vector<std::string> roots = git_.roots();
  for (const auto& [path, known] : known_) {
    if (known.name.rule == git_file_rule) roots.push_back(folder_part(path));
  }
  std::ranges::sort(roots);
  return roots;
}

// What the person's own files name. Repositories that commands made have nothing to say.
void WorkspaceGuard::look_for_named() {
  NamedByGit named = find_named_by_git({workspace_, home_, roots()});
  const bool same_everywhere = named.anywhere == named_.anywhere;
  std::vector<std::string> more;
  std::ranges::set_difference(named.paths, named_.paths, std::back_inserter(more));
  named_ = std::move(named);
  std::vector<std::string> held = linked_;
  held.insert(held.end(), named_.paths.begin(), named_.paths.end());
  dangers_.hold(std::move(held), named_.anywhere);
  for (const std::string& path : more) suspect(path);
  const bool walked = watch_.size() > 0 || !unwatched_.empty();
  if (!same_everywhere && walked) walk("", Doing::persons);
}

// Links of the person's put dangerous names where they lead, also over several links, and where nothing is yet.
void WorkspaceGuard::look_for_linked() {
  std::vector<std::string> places;
  for (const auto& [path, known] : known_) {
    if (known.entry.kind != KnownEntry::Kind::link) continue;
    std::string target = link_end(workspace_ + "/" + path);
    for (int links = 0; !target.empty() && links < most_links; ++links) {
      for (const std::string& place : places_of(target)) {
        if (!is_within(place, workspace_) || place == workspace_) continue;
        std::ranges::move(dangers_.through_link(path, place.substr(workspace_.size() + 1)), std::back_inserter(places));
      }
      target = link_end(target);
    }
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places == linked_) return;
  linked_ = places;
  places.insert(places.end(), named_.paths.begin(), named_.paths.end());
  dangers_.hold(std::move(places), named_.anywhere);
  for (const std::string& path : linked_) suspect(path);
}

void WorkspaceGuard::suspect(const std::string& path) {
  if (const std::optional<DangerousName> name = dangers_.find(path)) suspects_.insert_or_assign(name->path, *name);
}

void WorkspaceGuard::walk(const std::string& path, Doing doing) {
  folders_.push_back(path);
  while (!folders_.empty()) {
    const std::string next = std::move(folders_.back());
    folders_.pop_back();
    const UniqueFd folder =
        doing == Doing::commands ? open_closed_folder(root_.get(), next) : open_guarded_folder(root_.get(), next);
    if (!folder) continue;
    watch(folder.get(), next);  // first, so that nothing is made between the look and the watch
    for (const FolderEntry& entry : entries_of(folder.get(), most_in_a_folder)) note(next, folder.get(), entry, doing);
  }
}

// A folder that is no repository yet is judged as soon as it is one, whoever made the beginning.
void WorkspaceGuard::note_git(const std::string& path, bool is_folder, Doing doing) {
  if (!is_folder) {
    suspects_.insert_or_assign(path,
                               DangerousName{path, DangerClass::locked, std::string(git_file_rule), git_file_why});
    return;
  }
  const UniqueFd folder = open_guarded_folder(root_.get(), path);
  const bool whole = folder && looks_like_git_folder(folder.get());
  if (doing == Doing::persons && whole) git_.accept(path);
  else git_.note_new(path);
  if (!folder) return;
  if (git_.lists(path)) watch(folder.get(), path);
  else if (name_part(path) == ".git") folders_.push_back(path);  // of any other name it is being walked
}

// What lies in a git directory of the person's is GitGuard's. Any other may be a folder to work in, disguised.
void WorkspaceGuard::note(const std::string& folder, int directory, const FolderEntry& entry, Doing doing) {
  const std::string path = joined(folder, entry.name);
  if (entry.name == ".git") return note_git(path, entry.is_folder, doing);
  const bool in_git = git_.knows(folder);
  if (in_git && (git_.lists(folder) || (entry.is_folder && is_git_data(path)))) return;
  if (std::optional<DangerousName> name = dangers_.find(path)) suspects_.insert_or_assign(name->path, *name);
  else if (!entry.is_folder && dangers_.leads_to_one(path)) {
    suspects_.insert_or_assign(path,
                               DangerousName{path, DangerClass::held, "link", "it may lead to what programs run"});
  }
  if (entry.leads_elsewhere && doing == Doing::commands && leads_into_git_data(path)) {
    suspects_.insert_or_assign(path, DangerousName{path, DangerClass::locked, "git-link",
                                                   "it leads to what git keeps, which nobody looks through"});
  }
  const bool sign = !in_git && std::ranges::find(git_signs, entry.name) != git_signs.end();
  if (sign && looks_like_git_folder(directory)) {
    note_git(folder, true, doing);
  } else if (sign && !entry.is_folder) {
    half_made_.insert(folder);  // its content may be written after its name
  } else if (entry.is_folder) {
    folders_.push_back(path);
  }
}

bool WorkspaceGuard::leads_into_git_data(const std::string& path) const {
  const std::string target = link_end(workspace_ + "/" + path);
  if (!is_within(target, workspace_) || target == workspace_) return false;
  bool in_git = false;
  std::string place;
  for (const std::string& name : split(target.substr(workspace_.size() + 1), '/')) {
    if (in_git && is_git_data(name)) return true;
    place = joined(place, name);
    in_git |= name == ".git" || git_.knows(place);
  }
  return false;
}

void WorkspaceGuard::watch(int directory, const std::string& path) {
  if (watch_.add(directory, path)) unwatched_.erase(path);
  else unwatched_.insert_or_assign(path, look_at_folder(directory));
}

// Past what the kernel watches, a folder's own time stamp tells that a name was made in it.
void WorkspaceGuard::look_at_unwatched(Doing doing) {
  std::vector<std::string> changed;
  for (auto folder = unwatched_.begin(); folder != unwatched_.end();) {
    struct stat now {};
    const char* path = folder->first.empty() ? "." : folder->first.c_str();
    const bool there = ::fstatat(root_.get(), path, &now, AT_SYMLINK_NOFOLLOW) == 0;
    const bool same = there && is_untouched(folder->second, now);
    if (!same) changed.push_back(folder->first);
    folder = same ? std::next(folder) : unwatched_.erase(folder);
  }
  for (const std::string& path : changed) walk(path, doing);
}

// Folders that lacked something to be a repository when they were looked at.
void WorkspaceGuard::look_at_half_made(Doing doing) {
  std::set<std::string> folders;
  folders.swap(half_made_);
  for (const std::string& path : folders) {
    const UniqueFd folder = open_guarded_folder(root_.get(), path);
    struct stat status {};
    if (!folder) continue;
    if (looks_like_git_folder(folder.get())) note_git(path, true, doing);
    else if (::fstatat(folder.get(), "HEAD", &status, AT_SYMLINK_NOFOLLOW) == 0) half_made_.insert(path);
  }
}

void WorkspaceGuard::look_around(Doing doing) {
  look_at_half_made(doing);
  for (const std::string& path : git_.drop_lapsed()) walk(path, doing);
  look_at_unwatched(doing);
  const FolderWatch::Drained drained = watch_.drain();
  if (drained.lost) return walk("", doing);
  for (const FolderWatch::Entry& entry : drained.entries) {
    const UniqueFd folder = doing == Doing::commands ? open_closed_folder(root_.get(), entry.folder)
                                                     : open_guarded_folder(root_.get(), entry.folder);
    struct stat status {};
    if (!folder || ::fstatat(folder.get(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    note(entry.folder, folder.get(), {entry.name, S_ISDIR(status.st_mode), S_ISLNK(status.st_mode)}, doing);
    if (folders_.empty()) continue;
    const std::string next = std::move(folders_.back());
    folders_.pop_back();
    walk(next, doing);
  }
}

void WorkspaceGuard::accept(const std::string& path, const DangerousName& name, Doing doing) {
  const UniqueFd folder = open_guarded_folder(root_.get(), folder_part(path));
  std::optional<KnownEntry> entry = folder ? look_at_entry(folder.get(), name_part(path)) : std::nullopt;
  if (!entry) {
    known_.erase(path);
    return;
  }
  const bool is_folder = entry->kind == KnownEntry::Kind::folder;
  entry->settled &= doing == Doing::persons;
  known_.insert_or_assign(path, Known{*std::move(entry), name});
  if (!is_folder) return;
  for (const std::string& inner : below(path).paths) accept(inner, name, doing);
}

void WorkspaceGuard::absorb() {
  remedies_.forget_taken();
  look_around(Doing::persons);
  if (!is_still_so(named_) || roots() != named_.roots) look_for_named();
  std::map<std::string, DangerousName> names;
  names.swap(suspects_);
  for (const auto& [path, known] : known_) {
    if (!is_as_it_was(path, known.entry)) names.insert_or_assign(path, known.name);
  }
  for (const auto& [path, name] : names) accept(path, name, Doing::persons);
  // A .git that is a file counts once it was accepted.
  if (roots() != named_.roots) look_for_named();
  look_for_linked();
  for (const auto& [path, name] : std::exchange(suspects_, {})) accept(path, name, Doing::persons);
  git_.accept_all();
  if (outside_git_) outside_git_->absorb();
}

}  // namespace talaria
