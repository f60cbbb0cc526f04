#include "sandbox/shown_mounts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t longest_reason = 400;

Result<UniqueFd> open_view() { return open_file("/", O_PATH | O_DIRECTORY); }

// Why a place cannot be had, for one who does not know what a place is.
Error explain(const Error& error) {
  switch (error.number()) {
    case ELOOP: return {ErrorCode::conflict, "a symbolic link is in its way inside"};
    case ENOTDIR: return {ErrorCode::conflict, "a file is in its way inside"};
    default: return error;
  }
}

std::string folder_around(const std::string& path) { return path.substr(0, std::max<size_t>(path.rfind('/'), 1)); }

bool is_wished(const ShowOrder& order, const std::string& target) {
  return std::ranges::any_of(order.wishes, [&](const ShowWish& wish) { return wish.path.target == target; });
}

bool is_of(const ShowWish& wish, int mount) {
  struct stat status {};
  return ::fstat(mount, &status) == 0 && status.st_dev == wish.device && status.st_ino == wish.inode;
}

// Whoever opened it has seen to that; but it is for us that it must be so.
Result<> require_harmless(int mount) {
  struct statvfs status {};
  constexpr unsigned long needed = ST_RDONLY | ST_NOSUID | ST_NODEV;
  if (::fstatvfs(mount, &status) != 0) return Error::from_errno("look at the mount");
  if ((status.f_flag & needed) == needed) return ok;
  return Error(ErrorCode::denied, "its mount is not read-only and without devices");
}

// Whether something that is mounted now will lie over it.
bool is_about_to_be_covered(const std::string& target, const ShowOrder& order) {
  return std::ranges::any_of(order.given, [&](uint32_t index) {
    const std::string& outer = order.wishes[index].path.target;
    return outer != target && is_within(target, outer);
  });
}

}  // namespace

ShowAnswer ShownMounts::show(const MountPlan& view, const ShowOrder& order, std::vector<UniqueFd> mounts) {
  changed_ = false;
  keep_only(order);
  remove_places(order);
  std::vector<UniqueFd> given(order.wishes.size());
  for (size_t i = 0; i < std::min(order.given.size(), mounts.size()); ++i) given[order.given[i]] = std::move(mounts[i]);
  ShowAnswer answer;
  answer.outcomes.resize(order.wishes.size());
  std::map<std::string, size_t> by_target;  // outer ones first
  for (size_t i = 0; i < order.wishes.size(); ++i) {
    const bool first = by_target.emplace(order.wishes[i].path.target, i).second;
    if (!first) answer.outcomes[i] = {ShowState::failed, "something else is to be shown in the same place"};
  }
  for (const auto& [target, index] : by_target) {
    ShowOutcome& outcome = answer.outcomes[index];
    const ShownPath& path = order.wishes[index].path;
    Result<> done = ok;
    if (!shown_.contains(target)) done = check_shown_path(view, path);
    if (done && given[index]) done = put_in_place(target, std::move(given[index]));
    if (!done) outcome = {ShowState::failed, done.error().message().substr(0, longest_reason)};
    else outcome.state = shown_.contains(target) ? ShowState::shown : ShowState::wanted;
  }
  answer.changed = changed_;
  return answer;
}

// Of what was shown before: what is to be shown still, is the same file, and is where it belongs.
void ShownMounts::keep_only(const ShowOrder& order) {
  const auto each = [this](auto&& is_to_stay) {
    for (auto one = shown_.begin(); one != shown_.end();) {
      const auto next = std::next(one);
      if (!is_to_stay(one->first, one->second.get())) take_away(one);
      one = next;
    }
  };
  each([&](const std::string& target, int mount) {
    const auto wish =
        std::ranges::find(order.wishes, target, [](const ShowWish& wished) { return wished.path.target; });
    return wish != order.wishes.end() && is_of(*wish, mount) && !is_about_to_be_covered(target, order);
  });
  // Only now: what was mounted in something that is gone is gone as well.
  each([this](const std::string& target, int mount) { return is_in_place(target, mount); });
}

// Not of what is only shown anew: whatever runs would lose what it had, for it has the place in common with us.
void ShownMounts::remove_places(const ShowOrder& order) {
  std::erase_if(made_, [&](const auto& one) {
    const auto& [target, made] = one;
    if (is_wished(order, target)) return false;
    const OwnFolder& folder = folders_[made.folder];
    const Result<UniqueFd> copy = writable_copy(folder);
    // One that cannot be removed is only empty.
    if (copy) (void)remove_file_place(copy->get(), target.substr(folder.target.size()), made.numbers);
    return true;
  });
}

// A session that cannot stop showing something ends.
void ShownMounts::take_away(std::map<std::string, UniqueFd>::iterator one) {
  if (!take_mount_away(one->second.get(), one->first)) ::_exit(1);
  shown_.erase(one);
  changed_ = true;
}

bool ShownMounts::is_in_place(const std::string& target, int mount) const {
  const Result<UniqueFd> root = open_view();
  const Result<UniqueFd> there = root ? open_inside(root->get(), target) : Result<UniqueFd>(root.error());
  if (!there) return false;
  const Result<MountPosition> is = position_of(there->get()), should_be = position_of(mount);
  return is && should_be && *is == *should_be && is->at_root;
}

Result<> ShownMounts::put_in_place(const std::string& target, UniqueFd mount) {
  TRY(require_harmless(mount.get()));
  Result<UniqueFd> place = place_for(target, is_directory(mount.get()) ? PlaceKind::directory : PlaceKind::file);
  if (!place) return explain(place.error());
  if (const auto before = shown_.find(target); before != shown_.end()) take_away(before);
  TRY(attach_mount(mount.get(), place->get()));
  changed_ = true;
  const auto shown = shown_.insert_or_assign(target, std::move(mount)).first;
  if (is_in_place(target, shown->second.get())) return ok;
  take_away(shown);
  return Error(ErrorCode::conflict, "the way to it was changed inside while it was mounted");
}

Result<UniqueFd> ShownMounts::place_for(const std::string& target, PlaceKind kind) {
  const UniqueFd root = TRY(open_view());
  Result<UniqueFd> place = open_inside(root.get(), target);
  const int number = place ? 0 : place.error().number();
  if (number == ENOENT || number == EACCES) {
    TRY(make_room(target, kind));
    place = open_inside(root.get(), target);
  }
  if (!place) return place;
  struct stat status {};
  if (::fstat(place->get(), &status) != 0) return Error::from_errno("look at the place");
  const bool fits = kind == PlaceKind::directory ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode);
  if (fits) return place;
  return Error(ErrorCode::conflict,
               S_ISDIR(status.st_mode) ? "a directory is in its place inside" : "a file is in its place inside");
}

// Only in file systems that are the sandbox's own. They are written through a copy that is attached nowhere and has no
// other mount in it: it is writable where the one that everybody sees is sealed, and leads nowhere else.
Result<> ShownMounts::make_room(const std::string& target, PlaceKind kind) {
  const UniqueFd root = TRY(open_view());
  std::string folder = target;
  Result<UniqueFd> nearest = open_inside(root.get(), folder);
  int number = 0;  // why one cannot go on from there
  while (!nearest) {
    number = nearest.error().number();
    if ((number != ENOENT && number != EACCES) || folder == "/") return nearest.error();
    folder = folder_around(folder);
    nearest = open_inside(root.get(), folder);
  }
  if (number == EACCES) {
    TRY(cover(folder, nearest->get()));
    nearest = TRY(open_inside(root.get(), folder));
  }
  const OwnFolder* own = own_folder(nearest->get());
  if (!own) return Error(ErrorCode::not_found, "there is no such place inside, and none may be made there");
  const UniqueFd copy = TRY(writable_copy(*own));
  const UniqueFd place = TRY(make_place(copy.get(), target.substr(own->target.size()), kind));
  struct stat status {};
  if (kind == PlaceKind::file && ::fstat(place.get(), &status) == 0) {
    made_[target] = {static_cast<size_t>(own - folders_.data()), {status.st_dev, status.st_ino}};
  }
  return ok;
}

Result<UniqueFd> ShownMounts::writable_copy(const OwnFolder& folder) {
  UniqueFd copy = TRY(clone_mount(folder.mount.get(), Reach::itself));
  TRY(allow_writing(copy.get()));
  return copy;
}

// Nobody inside could enter it, and could not reach what is to be shown in it: so it may as well be empty.
Result<> ShownMounts::cover(const std::string& folder, int place) {
  UniqueFd mount = TRY(new_cover());
  TRY(attach_mount(mount.get(), place));
  folders_.push_back({folder, std::move(mount)});
  changed_ = true;
  return restrict_mount(folders_.back().mount.get(), {.read_only = true}, Reach::itself);
}

const OwnFolder* ShownMounts::own_folder(int place) const {
  const Result<MountPosition> position = position_of(place);
  if (!position) return nullptr;
  const auto found = std::ranges::find_if(folders_, [&](const OwnFolder& one) {
    const Result<MountPosition> own = position_of(one.mount.get());
    return own && own->mount == position->mount;
  });
  return found == folders_.end() ? nullptr : &*found;
}

MountIds ShownMounts::ids() const {
  MountIds ids;
  for (const auto& [target, mount] : shown_) {
    if (const Result<MountPosition> position = position_of(mount.get())) ids.insert(position->mount);
  }
  return ids;
}

void ShownMounts::let_go() {
  shown_.clear();
  folders_.clear();
}

}  // namespace talaria
