#include "sandbox/file_operations.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

namespace talaria {
namespace {

constexpr long fchmodat2_number = 452;                            // newer than Debian 12's headers; Linux 6.6
constexpr uint64_t harmless = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;  // a FIFO or a lease must not stop us

FileAnswer failure(int number) { return {.number = number}; }

FileAnswer done(bool worked) { return failure(worked ? 0 : errno); }

bool is_fine(const FileAnswer& answer) { return answer.number == 0 && answer.refusal == FileRefusal::none; }

int open_path(const std::string& path, uint64_t flags, uint64_t mode, uint64_t resolve) {
  open_how how{};
  how.flags = flags;
  how.mode = mode;
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how));
}

std::string own_name_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Where an open file really is. ESTALE for one whose name was removed or given to another meanwhile: the kernel then
// marks the name, and it would read as another.
int find_real_path(int fd, std::string& real_path) {
  char name[PATH_MAX];
  const ssize_t length = ::readlink(own_name_of(fd).c_str(), name, sizeof name);
  if (length < 0) return errno;
  if (length == 0 || length > static_cast<ssize_t>(most_path_bytes) || name[0] != '/') return ENAMETOOLONG;
  real_path.assign(name, static_cast<size_t>(length));
  if (!real_path.ends_with(" (deleted)")) return 0;
  struct stat opened {};
  struct stat named {};
  if (::fstat(fd, &opened) != 0 || ::lstat(real_path.c_str(), &named) != 0) return ESTALE;
  return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino ? 0 : ESTALE;
}

// Who replaces a file in one step never leaves its name without one, so we look again; but not for ever.
template <class Attempt>
FileAnswer while_replaced(const Attempt& attempt) {
  for (int left = 1000; left > 0; --left) {
    if (FileAnswer answer = attempt(); answer.number != ESTALE) return answer;
  }
  return failure(ENOENT);
}

int64_t nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

FileStat to_file_stat(const struct stat& status) {
  return {.type = file_type_of(status.st_mode),
          .mode = status.st_mode & 07777,
          .uid = status.st_uid,
          .gid = status.st_gid,
          .size = static_cast<uint64_t>(status.st_size),
          .links = status.st_nlink,
          .device = status.st_dev,
          .inode = status.st_ino,
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim)};
}

uint64_t open_flags(const FileAccess& access) {
  uint64_t flags = harmless;
  flags |= access.read && access.write ? O_RDWR : access.write ? O_WRONLY : O_RDONLY;
  if (access.append) flags |= O_APPEND;
  if (access.create) flags |= O_CREAT;
  if (access.exclusive) flags |= O_EXCL;
  if (access.no_follow) flags |= O_NOFOLLOW;
  return flags;  // truncated is once we know what it is
}

// What must be handed out, or refused with its type.
std::optional<FileAnswer> refuse_type(const FileStat& stat) {
  if (stat.type == FileType::regular) return std::nullopt;
  if (stat.type == FileType::directory) return failure(EISDIR);
  return FileAnswer{.refusal = FileRefusal::type, .stat = stat};
}

// "/a/b/" is "b/" in "/a": the kernel then knows that b must be a directory.
struct PathParts {
  std::string folder;
  std::string name;
};
PathParts split_off_name(const std::string& path) {
  const size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return {"/", "."};
  const size_t slash = path.rfind('/', end);
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

// The kernel refuses a link of /proc/PID, and a link that is not to be followed, like a loop of links.
FileAnswer explain_loop(const std::string& path, uint64_t flags) {
  const UniqueFd there(open_path(path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW), 0, 0));
  struct stat status {};
  if (!there || ::fstat(there.get(), &status) != 0) return failure(ELOOP);
  const FileRefusal why = S_ISLNK(status.st_mode) ? FileRefusal::type : FileRefusal::process;
  return {.refusal = why, .stat = to_file_stat(status)};
}

bool changes_files(const FileRequest& request) {
  switch (request.operation) {
    case FileOperation::open: return request.access.write;
    case FileOperation::make_directory:
    case FileOperation::rename:
    case FileOperation::remove:
    case FileOperation::set_mode:
    case FileOperation::set_owner: return true;
    case FileOperation::stat:
    case FileOperation::list:
    case FileOperation::list_more:
    case FileOperation::read_link: return false;
  }
  return true;
}

}  // namespace

FileOperations::FileOperations(const MountPlan& mounts) {
  for (const MountStep& step : mounts.steps) {
    if (step.kind == MountKind::mirror && step.source == step.target) guarded_.push_back(step.target);
  }
  struct stat proc {};
  struct statfs system {};
  if (::statfs("/proc", &system) == 0 && system.f_type == PROC_SUPER_MAGIC && ::stat("/proc", &proc) == 0)
    own_processes_ = proc.st_dev;
}

// Who replaces a guarded file outside takes the mount on it away. The holder mounts it again for each new command, but
// in a mount namespace that is ours no longer.
bool FileOperations::view_holds() const {
  for (const std::string& path : guarded_) {
    struct statx status {};
    if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) != 0) continue;
    if (!(status.stx_attributes & STATX_ATTR_MOUNT_ROOT)) return false;
  }
  return true;
}

FileRefusal FileOperations::judge(int fd, const struct stat& status, Use use) const {
  struct statfs system {};
  if (::fstatfs(fd, &system) == 0 && system.f_type != PROC_SUPER_MAGIC) return FileRefusal::none;
  if (status.st_dev != own_processes_) return FileRefusal::process;
  char name[PATH_MAX];
  const ssize_t length = ::readlink(own_name_of(fd).c_str(), name, sizeof name);
  const std::string_view path(name, static_cast<size_t>(std::max<ssize_t>(length, 0)));
  if (path != "/proc" && (!path.starts_with("/proc/") || path.find_first_of("0123456789") == 6))
    return FileRefusal::process;  // its folders are numbers
  return use == Use::change ? FileRefusal::proc_write : FileRefusal::none;
}

// Every path goes through here. The answer gets the stat, or why there is no fd.
UniqueFd FileOperations::resolve(const std::string& path, uint64_t flags, Use use, FileAnswer& answer,
                                 uint64_t mode) const {
  UniqueFd fd(open_path(path, flags | O_CLOEXEC, mode, RESOLVE_NO_MAGICLINKS));
  if (!fd) {
    answer = errno == ELOOP ? explain_loop(path, flags) : failure(errno);
    return {};
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    answer = failure(errno);
    return {};
  }
  answer = {.refusal = judge(fd.get(), status, use), .stat = to_file_stat(status)};
  if (!is_fine(answer)) return {};
  return fd;
}

// Looks first, because opening a FIFO wakes the one at its other end and opening a device may do anything; and judges
// what was opened, because it may be something else by then.
FileAnswer FileOperations::open_once(const FileRequest& request, UniqueFd& opened) const {
  const FileAccess& access = request.access;
  struct stat status {};
  const int links = access.no_follow ? AT_SYMLINK_NOFOLLOW : 0;
  if (!access.exclusive && ::fstatat(AT_FDCWD, request.path.c_str(), &status, links) == 0) {
    if (const auto refused = refuse_type(to_file_stat(status))) return *refused;
  }
  FileAnswer answer;
  UniqueFd fd = resolve(request.path, open_flags(access), access.write ? Use::change : Use::look, answer, request.mode);
  if (!fd) return answer;
  if (const auto refused = refuse_type(answer.stat)) return *refused;
  if (const int number = find_real_path(fd.get(), answer.text); number != 0) return failure(number);
  if (access.truncate) {
    if (::ftruncate(fd.get(), 0) != 0) return failure(errno);
    answer.stat.size = 0;
  }
  opened = std::move(fd);
  return answer;
}

FileAnswer FileOperations::open(const FileRequest& request, UniqueFd& opened) const {
  return while_replaced([&] { return open_once(request, opened); });
}

FileAnswer FileOperations::stat_once(const FileRequest& request) const {
  FileAnswer answer;
  const UniqueFd fd = resolve(request.path, O_PATH | (request.follow ? 0 : O_NOFOLLOW), Use::look, answer);
  if (!fd || !request.follow) return answer;
  if (const int number = find_real_path(fd.get(), answer.text); number != 0) return failure(number);
  return answer;
}

FileAnswer FileOperations::stat(const FileRequest& request) const {
  return while_replaced([&] { return stat_once(request); });
}

FileAnswer FileOperations::list(const FileRequest& request) {
  FileAnswer answer;
  listed_ = resolve(request.path, harmless | O_DIRECTORY, Use::look, answer);
  return listed_ ? list_more() : answer;
}

// One getdents64(2): an entry of ours is smaller than one of the kernel's.
FileAnswer FileOperations::list_more() {
  if (!listed_) return failure(EBADF);
  alignas(dirent64) char page[most_page_bytes];
  const long count = ::syscall(SYS_getdents64, listed_.get(), page, sizeof page);
  FileAnswer answer = done(count >= 0);
  answer.more = count > 0;
  for (long at = 0; at < count;) {
    const auto* entry = reinterpret_cast<const dirent64*>(page + at);
    at += entry->d_reclen;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    FileType type = file_type_of(DTTOIF(entry->d_type));
    struct stat status {};
    if (type == FileType::unknown && ::fstatat(listed_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
      type = file_type_of(status.st_mode);
    answer.entries.push_back({std::string(name), type});
  }
  if (!answer.more) listed_.reset();
  return answer;
}

FileAnswer FileOperations::read_link(const FileRequest& request) const {
  FileAnswer answer;
  const UniqueFd link = resolve(request.path, O_PATH | O_NOFOLLOW, Use::look, answer);
  if (!link) return answer;
  char target[most_path_bytes];
  const ssize_t length = ::readlinkat(link.get(), "", target, sizeof target);
  if (length < 0) return failure(errno == ENOENT ? EINVAL : errno);  // ENOENT: no link, when asked by fd
  answer.text.assign(target, static_cast<size_t>(length));
  return answer;
}

FileAnswer FileOperations::make_directory(const FileRequest& request) const {
  const auto [folder, name] = split_off_name(request.path);
  FileAnswer answer;
  const UniqueFd parent = resolve(folder, O_PATH | O_DIRECTORY, Use::change, answer);
  if (!parent) return answer;
  return done(::mkdirat(parent.get(), name.c_str(), request.mode) == 0);
}

FileAnswer FileOperations::rename(const FileRequest& request) const {
  const auto [from_folder, from] = split_off_name(request.path);
  const auto [to_folder, to] = split_off_name(request.second_path);
  FileAnswer answer;
  const UniqueFd source = resolve(from_folder, O_PATH | O_DIRECTORY, Use::change, answer);
  if (!source) return answer;
  const UniqueFd target = resolve(to_folder, O_PATH | O_DIRECTORY, Use::change, answer);
  if (!target) return answer;
  const unsigned flags = request.replace ? 0 : RENAME_NOREPLACE;
  return done(::renameat2(source.get(), from.c_str(), target.get(), to.c_str(), flags) == 0);
}

FileAnswer FileOperations::remove(const FileRequest& request) const {
  const auto [folder, name] = split_off_name(request.path);
  FileAnswer answer;
  const UniqueFd parent = resolve(folder, O_PATH | O_DIRECTORY, Use::change, answer);
  if (!parent) return answer;
  if (::unlinkat(parent.get(), name.c_str(), 0) == 0) return {};
  if (errno != EISDIR) return failure(errno);
  return done(::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) == 0);
}

FileAnswer FileOperations::set_mode(const FileRequest& request) const {
  FileAnswer answer;
  const UniqueFd file = resolve(request.path, O_PATH, Use::change, answer);
  if (!file) return answer;
  const FileType type = answer.stat.type;
  if (type != FileType::regular && type != FileType::directory)
    return {.refusal = FileRefusal::type, .stat = answer.stat};
  if (::syscall(fchmodat2_number, file.get(), "", request.mode, AT_EMPTY_PATH) == 0) return {};
  if (errno != ENOSYS) return failure(errno);
  return done(::chmod(own_name_of(file.get()).c_str(), request.mode) == 0);
}

FileAnswer FileOperations::set_owner(const FileRequest& request) const {
  FileAnswer answer;
  const UniqueFd file = resolve(request.path, O_PATH | O_NOFOLLOW, Use::change, answer);
  if (!file) return answer;
  if (answer.stat.type != FileType::regular) return {.refusal = FileRefusal::type, .stat = answer.stat};
  return done(::fchownat(file.get(), "", request.uid, request.gid, AT_EMPTY_PATH) == 0);
}

FileAnswer FileOperations::take(const FileRequest& request, UniqueFd& opened) {
  if (request.operation != FileOperation::list_more) listed_.reset();
  if (changes_files(request) && !view_holds()) return {.refusal = FileRefusal::view_changed};
  switch (request.operation) {
    case FileOperation::open: return open(request, opened);
    case FileOperation::stat: return stat(request);
    case FileOperation::list: return list(request);
    case FileOperation::list_more: return list_more();
    case FileOperation::read_link: return read_link(request);
    case FileOperation::make_directory: return make_directory(request);
    case FileOperation::rename: return rename(request);
    case FileOperation::remove: return remove(request);
    case FileOperation::set_mode: return set_mode(request);
    case FileOperation::set_owner: return set_owner(request);
  }
  return failure(EINVAL);
}

}  // namespace talaria
