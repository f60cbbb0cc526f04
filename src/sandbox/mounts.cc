#include "sandbox/mounts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

Result<UniqueFd> clone_mount(int place, Reach reach) {
  UniqueFd mount(::open_tree(place, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | tree_flag(reach)));
  if (!mount) return Error::from_errno("copy a mount");
  return mount;
}

Result<> restrict_mount(int mount, MountFlags flags, Reach reach) {
  mount_attr attributes{};
  attributes.propagation = MS_PRIVATE;
  if (flags.read_only) attributes.attr_set |= MOUNT_ATTR_RDONLY;
  if (flags.no_setuid) attributes.attr_set |= MOUNT_ATTR_NOSUID;
  if (flags.no_devices) attributes.attr_set |= MOUNT_ATTR_NODEV;
  if (::mount_setattr(mount, "", AT_EMPTY_PATH | tree_flag(reach), &attributes, sizeof attributes) == 0) return ok;
  return Error::from_errno("restrict a mount");
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

Result<UniqueFd> new_tmpfs(const TmpfsShape& shape) {
  const UniqueFd system = TRY(open_file_system("tmpfs"));
  if (shape.bytes != 0) TRY(set_option(system.get(), "size", std::to_string(shape.bytes)));
  if (shape.inodes != 0) TRY(set_option(system.get(), "nr_inodes", std::to_string(shape.inodes)));
  TRY(set_option(system.get(), "mode", octal(shape.mode)));
  return create(system.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, "tmpfs");
}

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
