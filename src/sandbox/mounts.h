#pragma once
#include <cstdint>
#include <set>
#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// Mounts by descriptor: a place is looked up once, and what was looked at is what is mounted.

enum class Reach { itself, whole_tree };

// O_PATH of `path` inside `root`, as if `root` were /. A symbolic link anywhere on the way is an error (ELOOP).
Result<UniqueFd> open_inside(int root, const std::string& path);
// The same, making missing parents and a last part that is a directory or an empty file.
enum class PlaceKind { directory, file };
Result<UniqueFd> make_place(int root, const std::string& path, PlaceKind kind);

// Removes an empty file that make_place made, known by its numbers. Whatever else is there now stays.
struct FileNumbers {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FileNumbers&) const = default;
};
Result<> remove_file_place(int root, const std::string& path, FileNumbers made);

// A copy of what is mounted at `place`, attached nowhere.
Result<UniqueFd> clone_mount(int place, Reach reach);

struct MountFlags {
  bool read_only = false;
  bool no_setuid = false;
  bool no_devices = false;
  bool unbindable = false;  // a copy of what it is attached in does not hold it; one of a whole namespace does
  bool operator==(const MountFlags&) const = default;
};
// Adds flags (none is ever taken away) and cuts the mount off from events in its copies elsewhere.
Result<> restrict_mount(int mount, MountFlags flags, Reach reach);
// The only way back, for a copy that is attached nowhere.
Result<> allow_writing(int mount);
// Whether the mount of a place, or its file system, is read-only.
Result<bool> mount_is_read_only(int place);
// Shows other owners, as the user namespace says. The mount must not be attached yet.
Result<> map_owners(int mount, int user_namespace, Reach reach);
Result<> attach_mount(int mount, int place);
// Takes away this very mount, which was attached at `target`, with all that is attached in it, even if commands have
// moved its place meanwhile. One that is not attached any more is fine.
Result<> take_mount_away(int mount, const std::string& target);

// Where a descriptor is: on which mount, and whether at its root. A mount keeps its number to itself for as long as
// somebody has a descriptor of it.
struct MountPosition {
  uint64_t mount = 0;
  bool at_root = false;
  bool operator==(const MountPosition&) const = default;
};
Result<MountPosition> position_of(int place);
Result<MountPosition> position_of(const std::string& path);
using MountIds = std::set<uint64_t>;

bool is_directory(int fd);

struct TmpfsShape {
  uint64_t bytes = 0;  // 0: the kernel's default
  uint64_t inodes = 0;
  uint32_t mode = 0755;
};
// New file systems, attached nowhere; nosuid, and nodev where that makes sense.
Result<UniqueFd> new_tmpfs(const TmpfsShape& shape);
// An empty one to lay over a folder; only places for other mounts are ever made in it.
Result<UniqueFd> new_cover();
Result<UniqueFd> new_devpts();
Result<UniqueFd> new_proc();

// Mount events of other namespaces end at ours, and ours at us.
Result<> make_all_mounts_private();
// Makes an attached mount the root of everything; the old root is gone.
Result<> enter_root(int root);

}  // namespace talaria
