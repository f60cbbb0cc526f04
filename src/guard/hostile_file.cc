#include "guard/hostile_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>

namespace talaria {

UniqueFd open_below(int directory, const std::string& path, int flags) {
  struct open_how how {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  // With O_PATH the kernel refuses flags that only matter for opening.
  if ((flags & O_PATH) == 0) how.flags |= O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  // A folder that is moved meanwhile makes the kernel unsure whether ".." stayed below; it asks to be called again.
  for (int attempt = 0;; ++attempt) {
    UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
    if (fd || errno != EAGAIN || attempt == 20) return fd;
  }
}

EntryKind kind_below(int directory, const std::string& path) {
  const UniqueFd fd = open_below(directory, path, O_PATH);
  if (!fd && errno == ELOOP) return EntryKind::link;
  if (!fd) return errno == ENOENT || errno == ENOTDIR ? EntryKind::absent : EntryKind::other;
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return EntryKind::other;
  if (S_ISREG(info.st_mode)) return EntryKind::file;
  if (S_ISDIR(info.st_mode)) return EntryKind::folder;
  return S_ISLNK(info.st_mode) ? EntryKind::link : EntryKind::other;
}

Result<PlainFile> read_plain_file(int directory, const std::string& path, size_t most) {
  // A device or a pipe is not opened at all: opening alone can do something.
  if (const EntryKind kind = kind_below(directory, path); kind != EntryKind::file)
    return Error(kind == EntryKind::absent ? ErrorCode::not_found : ErrorCode::denied, "it is not a plain file");
  const UniqueFd fd = open_below(directory, path, O_RDONLY);
  if (!fd) return Error::from_errno("it cannot be opened");
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno("it cannot be looked at");
  if (!S_ISREG(info.st_mode)) return Error(ErrorCode::denied, "it is not a plain file");
  PlainFile file{.content = {}, .names = info.st_nlink};
  std::array<char, 16 << 10> buffer{};
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno("it cannot be read");
    if (count == 0) return file;
    file.content.append(buffer.data(), static_cast<size_t>(count));
    if (file.content.size() > most) return Error(ErrorCode::denied, "it is too long");
  }
}

Result<std::vector<std::string>> names_below(int directory, const std::string& path, size_t most) {
  UniqueFd fd = open_below(directory, path, O_RDONLY | O_DIRECTORY);
  if (!fd) return Error::from_errno("it cannot be opened");
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd.get()), ::closedir);
  if (!stream) return Error::from_errno("it cannot be listed");
  (void)fd.release();  // the stream owns it
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == most) return Error(ErrorCode::denied, "it holds too many names");
    names.push_back(name);
    errno = 0;
  }
  if (errno != 0) return Error::from_errno("it cannot be listed");
  std::sort(names.begin(), names.end());
  return names;
}

std::string link_target(int directory, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlinkat(directory, name.c_str(), target.data(), target.size());
  target.resize(length < 0 ? 0 : static_cast<size_t>(length));
  return target;
}

bool is_same_entry(int one, int other) {
  struct stat first {};
  struct stat second {};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace talaria
