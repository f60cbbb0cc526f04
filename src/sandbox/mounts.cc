#include "sandbox/mounts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace talaria {
namespace {

Result<UniqueFd> open_file_system(const char* type) {
  UniqueFd fd(::fsopen(type, FSOPEN_CLOEXEC));
  if (!fd) return Error::from_errno(std::string("open the file system ") + type);
  return fd;
}

Result<> set_option(int system, const char* name, const std::string& value) {
  if (::fsconfig(system, FSCONFIG_SET_STRING, name, value.c_str(), 0) == 0) return ok;
  return Error::from_errno(std::string("set ") + name + "=" + value);
}

Result<UniqueFd> create(int system, unsigned attributes, const char* type) {
  if (::fsconfig(system, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return Error::from_errno(std::string("create a ") + type);
  }
  UniqueFd mount(::fsmount(system, FSMOUNT_CLOEXEC, attributes));
  if (!mount) return Error::from_errno(std::string("mount a ") + type);
  return mount;
}

std::string octal(uint32_t mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%o", mode);
  return text;
}

unsigned tree_flag(Reach reach) { return reach == Reach::whole_tree ? AT_RECURSIVE : 0; }

Result<> make_last_part(int parent, const std::string& name, PlaceKind kind) {
  if (kind == PlaceKind::directory) {
    if (::mkdirat(parent, name.c_str(), 0755) == 0 || errno == EEXIST) return ok;
  } else {
    const UniqueFd made(::openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (made || errno == EEXIST) return ok;
  }
  return Error::from_errno("make " + name);
}

Result<MountPosition> position_at(int place, const char* path) {
  struct statx status {};
  if (::statx(place, path, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MNT_ID, &status) != 0) {
    return Error::from_errno("look for the mount of a file");
  }
  if (!(status.stx_mask & STATX_MNT_ID)) return Error(ErrorCode::unavailable, "this kernel does not number mounts");
  return MountPosition{status.stx_mnt_id, (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0};
}

// Where there is no /proc: by the name it should be under. If a command puts another name there at this very moment, it
// is of something that was shown later than the command was started, for all other mounts are its own, too.
Result<> take_mount_off(int mount, const std::string& target) {
  const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const size_t slash = target.rfind('/');
  const UniqueFd folder = TRY(open_inside(root.get(), target.substr(0, std::max<size_t>(slash, 1))));
  const UniqueFd there = TRY(open_inside(folder.get(), target.substr(slash)));
  if (TRY(position_of(there.get())) != TRY(position_of(mount))) return Error::from_number(ESTALE, "find " + target);
  if (::fchdir(folder.get()) != 0) return Error::from_errno("enter the folder of " + target);
  const bool gone = ::umount2(target.c_str() + slash + 1, MNT_DETACH | UMOUNT_NOFOLLOW) == 0;
  const Error why = Error::from_errno("take away " + target);
  if (::chdir("/") != 0) return Error::from_errno("leave the folder of " + target);
  return gone ? Result<>(ok) : why;
}

}  // namespace

Result<UniqueFd> open_inside(int root, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
  if (!fd) return Error::from_errno("open " + path);
  struct stat status {};
  if (::fstat(fd.get(), &status) == 0 && S_ISLNK(status.st_mode)) return Error::from_number(ELOOP, "open " + path);
  return fd;
}

Result<UniqueFd> make_place(int root, const std::string& path, PlaceKind kind) {
  Result<UniqueFd> there = open_inside(root, path);
  if (there || there.error().number() != ENOENT) return there;
  const size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  if (slash == std::string::npos || name.empty()) return there;
  const UniqueFd parent = TRY(make_place(root, slash == 0 ? "/" : path.substr(0, slash), PlaceKind::directory));
  Result<> made = make_last_part(parent.get(), name, kind);
  if (!made) return std::move(made).error().within(path);
  return open_inside(root, path);
}

Result<> remove_file_place(int root, const std::string& path, FileNumbers made) {
  const size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  const UniqueFd folder = TRY(open_inside(root, path.substr(0, std::max<size_t>(slash, 1))));
  struct stat status {};
  if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return Error::from_errno("find " + path);
  const bool ours = S_ISREG(status.st_mode) && status.st_size == 0 && FileNumbers{status.st_dev, status.st_ino} == made;
  if (ours && ::unlinkat(folder.get(), name.c_str(), 0) != 0) return Error::from_errno("remove " + path);
  return ok;
}

Result<UniqueFd> clone_mount(int place, Reach reach) {
  UniqueFd mount(::open_tree(place, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | tree_flag(reach)));
  if (!mount) return Error::from_errno("copy a mount");
  return mount;
}

Result<> restrict_mount(int mount, MountFlags flags, Reach reach) {
  mount_attr attributes{};
  attributes.propagation = flags.unbindable ? MS_UNBINDABLE : MS_PRIVATE;
  if (flags.read_only) attributes.attr_set |= MOUNT_ATTR_RDONLY;
  if (flags.no_setuid) attributes.attr_set |= MOUNT_ATTR_NOSUID;
  if (flags.no_devices) attributes.attr_set |= MOUNT_ATTR_NODEV;
  if (::mount_setattr(mount, "", AT_EMPTY_PATH | tree_flag(reach), &attributes, sizeof attributes) == 0) return ok;
  return Error::from_errno("restrict a mount");
}

Result<> allow_writing(int mount) {
  mount_attr attributes{};
  attributes.attr_clr = MOUNT_ATTR_RDONLY;
  if (::mount_setattr(mount, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0) return ok;
  return Error::from_errno("make a copy of a mount writable");
}

Result<bool> mount_is_read_only(int place) {
  struct statvfs status {};
  if (::fstatvfs(place, &status) != 0) return Error::from_errno("ask whether a mount is read-only");
  return (status.f_flag & ST_RDONLY) != 0;
}

Result<> map_owners(int mount, int user_namespace, Reach reach) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<uint64_t>(user_namespace);
  if (::mount_setattr(mount, "", AT_EMPTY_PATH | tree_flag(reach), &attributes, sizeof attributes) == 0) return ok;
  return Error::from_errno("map the owners of a mount");
}

Result<> attach_mount(int mount, int place) {
  if (::move_mount(mount, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0) return ok;
  return Error::from_errno("attach a mount");
}

Result<> take_mount_away(int mount, const std::string& target) {
  // Only what is attached can be changed. What is not went with its place.
  const Result<> changed = restrict_mount(mount, {.read_only = true}, Reach::itself);
  if (!changed && changed.error().number() == EINVAL) return ok;
  // The kernel takes a path. This one leads to the mount itself, wherever commands have moved it meanwhile, and also
  // when the file at its root was removed.
  if (::umount2(("/proc/self/fd/" + std::to_string(mount)).c_str(), MNT_DETACH) == 0) return ok;
  if (errno != ENOENT) return Error::from_errno("take away " + target);
  return take_mount_off(mount, target);
}

Result<MountPosition> position_of(int place) { return position_at(place, ""); }

Result<MountPosition> position_of(const std::string& path) { return position_at(AT_FDCWD, path.c_str()); }

bool is_directory(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

Result<UniqueFd> new_tmpfs(const TmpfsShape& shape) {
  const UniqueFd system = TRY(open_file_system("tmpfs"));
  if (shape.bytes != 0) TRY(set_option(system.get(), "size", std::to_string(shape.bytes)));
  if (shape.inodes != 0) TRY(set_option(system.get(), "nr_inodes", std::to_string(shape.inodes)));
  TRY(set_option(system.get(), "mode", octal(shape.mode)));
  return create(system.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, "tmpfs");
}

Result<UniqueFd> new_cover() { return new_tmpfs({.bytes = 1 << 20, .inodes = 65'536, .mode = 0755}); }

Result<UniqueFd> new_devpts() {
  const UniqueFd system = TRY(open_file_system("devpts"));
  if (::fsconfig(system.get(), FSCONFIG_SET_FLAG, "newinstance", nullptr, 0) != 0) {
    return Error::from_errno("set newinstance");
  }
  TRY(set_option(system.get(), "ptmxmode", "0666"));
  TRY(set_option(system.get(), "mode", "0620"));
  return create(system.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, "devpts");
}

Result<UniqueFd> new_proc() {
  const UniqueFd system = TRY(open_file_system("proc"));
  TRY(set_option(system.get(), "hidepid", "invisible"));
  return create(system.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, "proc");
}

Result<> make_all_mounts_private() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0) return ok;
  return Error::from_errno("make all mounts private");
}

Result<> enter_root(int root) {
  if (::fchdir(root) != 0) return Error::from_errno("enter the new root");
  // With both on the same place the old root ends up on top of the new one, and is taken off at once.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return Error::from_errno("change the root");
  if (::umount2(".", MNT_DETACH) != 0) return Error::from_errno("let the old root go");
  if (::chdir("/") != 0) return Error::from_errno("enter the new root");
  return ok;
}

}  // namespace talaria
