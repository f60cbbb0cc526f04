#include "skills/skill_edit_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/id.h"
#include "base/text.h"
#include "os/file.h"
#include "os/random.h"
#include "skills/skill_body_text.h"
#include "skills/skill_file_open.h"

namespace talaria {
namespace {

UniqueFd open_below(int root, const std::string& path, int flags, mode_t mode = 0) {
  struct open_how how {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
}

Error open_error(int number, const std::string& path) {
  if (number == ELOOP || number == EXDEV)
    return Error(ErrorCode::denied, shown_line(path) + " is a link or leads through one; change it where it really is");
  return Error::from_number(number, shown_line(path));
}

std::string name_in(int folder, const std::string& name) {
  return "/proc/self/fd/" + std::to_string(folder) + "/" + name;
}

void make_writable(int parent, const std::string& name) {
  const UniqueFd folder(::openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return;
  (void)::chmod(name_in(folder.get(), ".").c_str(), 0700);
  const Result<std::vector<std::string>> names = names_in_folder(folder.get());
  if (!names) return;
  for (const std::string& inner : *names) make_writable(folder.get(), inner);
}

}  // namespace

std::string parent_path(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string leaf_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Result<UniqueFd> open_folder_below(int root, const std::string& path) {
  UniqueFd fd = open_below(root, path, O_RDONLY | O_DIRECTORY);
  if (!fd) return open_error(errno, path);
  return fd;
}

Result<UniqueFd> make_folder_below(int root, const std::string& path, mode_t mode) {
  Result<UniqueFd> there = open_folder_below(root, path);
  if (there || there.error().code() != ErrorCode::not_found) return there;
  const UniqueFd parent = TRY(make_folder_below(root, parent_path(path), mode));
  if (::mkdirat(parent.get(), leaf_name(path).c_str(), mode) != 0 && errno != EEXIST)
    return Error::from_errno("create the folder " + shown_line(path));
  TRY(sync_folder(parent.get()));
  return open_folder_below(parent.get(), leaf_name(path));
}

Result<struct stat> look_below(int root, const std::string& path) {
  const UniqueFd fd = open_below(root, path, O_PATH | O_NOFOLLOW);
  struct stat info {};
  if (!fd) {
    // O_PATH opens a link in the last place, but RESOLVE_NO_SYMLINKS refuses it: then its folder tells.
    if (errno != ELOOP) return open_error(errno, path);
    const UniqueFd parent = TRY(open_folder_below(root, parent_path(path)));
    if (::fstatat(parent.get(), leaf_name(path).c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      return Error::from_errno(shown_line(path));
    return info;
  }
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno(shown_line(path));
  return info;
}

Result<std::string> read_file_below(int root, const std::string& path, size_t most) {
  const UniqueFd fd = open_below(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (!fd) return open_error(errno, path);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno(shown_line(path));
  if (!S_ISREG(info.st_mode)) return invalid(shown_line(path) + " is " + std::string(kind_of(info)) + ", not a file");
  std::string text = TRY(read_at(fd.get(), 0, most + 1));
  if (text.size() > most) return invalid(shown_line(path) + " is larger than " + human_bytes(most));
  return text;
}

Result<> write_file_below(int root, const std::string& path, std::string_view content, mode_t mode) {
  const Result<struct stat> there = look_below(root, path);
  if (there && !S_ISREG(there->st_mode))
    return Error(ErrorCode::denied, shown_line(path) + " is " + std::string(kind_of(*there)) + ", not a file");
  if (!there && there.error().code() != ErrorCode::not_found) return there.error();
  const UniqueFd folder = TRY(make_folder_below(root, parent_path(path)));
  const std::string temporary = ".new-" + id_from(random_u64());
  const UniqueFd file = open_below(folder.get(), temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file) return Error::from_errno("write " + shown_line(path));
  Result<> done = write_all(file.get(), content);
  if (done && ::fchmod(file.get(), there ? there->st_mode & 0777 : mode) != 0) done = Error::from_errno("set the mode");
  if (done && ::fsync(file.get()) != 0) done = Error::from_errno("write to the disk");
  if (done && ::renameat(folder.get(), temporary.c_str(), folder.get(), leaf_name(path).c_str()) != 0)
    done = Error::from_errno("rename");
  if (done) return sync_folder(folder.get());
  ::unlinkat(folder.get(), temporary.c_str(), 0);
  return std::move(done).error().within("write " + shown_line(path));
}

Result<std::vector<std::string>> names_in_folder(int folder) { return list_directory(name_in(folder, ".")); }

Result<> remove_below(int folder, const std::string& name) {
  Result<> removed = remove_tree(name_in(folder, name));
  if (removed || removed.error().code() != ErrorCode::denied) return removed;
  // Folders that were made read-only keep what is in them.
  make_writable(folder, name);
  return remove_tree(name_in(folder, name));
}

Result<> sync_folder(int folder) {
  if (::fsync(folder) != 0) return Error::from_errno("write a folder to the disk");
  return ok;
}

}  // namespace talaria
