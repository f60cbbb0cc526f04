#include "os/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/unseen.h"

namespace talaria {

Result<UniqueFd> open_file(const std::string& path, int flags, mode_t mode) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!fd) return Error::from_errno("open " + path);
  return fd;
}

Result<std::string> read_file(const std::string& path, size_t most) {
  UniqueFd fd = TRY(open_file(path, O_RDONLY));
  std::string content;
  char buffer[64 << 10];
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno("read " + path);
    if (count == 0) return content;
    content.append(buffer, static_cast<size_t>(count));
    if (content.size() > most)
      return invalid("read " + shown_line(path) + ": larger than " + std::to_string(most) + " bytes");
  }
}

Result<std::string> read_at(int fd, uint64_t offset, size_t length) {
  std::string data(length, '\0');
  size_t done = 0;
  while (done < length) {
    const ssize_t count = ::pread(fd, data.data() + done, length - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno("read");
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  data.resize(done);
  return data;
}

Result<> write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t count = ::write(fd, data.data(), data.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno("write");
    data.remove_prefix(static_cast<size_t>(count));
  }
  return ok;
}

namespace {

std::string parent_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<> fill_and_rename(const std::string& temporary, const std::string& path, std::string_view content, mode_t mode,
                         Durable durable) {
  UniqueFd fd = TRY(open_file(temporary, O_WRONLY | O_CREAT | O_EXCL, mode));
  Result<> written = write_all(fd.get(), content);
  if (!written) return std::move(written).error().within(temporary);
  if (durable == Durable::yes && ::fsync(fd.get()) != 0) return Error::from_errno("fsync " + temporary);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return Error::from_errno("rename " + temporary + " to " + path);
  return ok;
}

}  // namespace

Result<> write_file_atomically(const std::string& path, std::string_view content, mode_t mode, Durable durable) {
  const std::string temporary = path + ".new." + std::to_string(::getpid());
  ::unlink(temporary.c_str());
  Result<> done = fill_and_rename(temporary, path, content, mode, durable);
  if (!done) {
    ::unlink(temporary.c_str());
    return done;
  }
  if (durable == Durable::yes) {
    UniqueFd directory = TRY(open_file(parent_of(path), O_RDONLY | O_DIRECTORY));
    if (::fsync(directory.get()) != 0) return Error::from_errno("fsync " + parent_of(path));
  }
  return ok;
}

Result<> make_directories(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return ok;
  if (errno == ENOENT && path.find_last_of('/') > 0 && path.find('/') != std::string::npos) {
    TRY(make_directories(parent_of(path), mode));
    if (::mkdir(path.c_str(), mode) == 0) return ok;
  }
  if (errno == EEXIST) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return ok;
    errno = ENOTDIR;
  }
  return Error::from_errno("create directory " + path);
}

namespace {

Result<> remove_at(int parent, const char* name, const std::string& shown) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return ok;
  if (errno != EISDIR && errno != EPERM) return Error::from_errno("remove " + shown);
  UniqueFd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return Error::from_errno("remove " + shown);
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::dup(fd.get())), ::closedir);
  if (!entries) return Error::from_errno("list " + shown);
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view child = entry->d_name;
    if (child != "." && child != "..") TRY(remove_at(fd.get(), entry->d_name, shown + "/" + entry->d_name));
  }
  if (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) return Error::from_errno("remove " + shown);
  return ok;
}

}  // namespace

Result<> remove_tree(const std::string& path) { return remove_at(AT_FDCWD, path.c_str(), path); }

Result<std::vector<std::string>> list_directory(const std::string& path) {
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(path.c_str()), ::closedir);
  if (!entries) return Error::from_errno("list " + path);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : "";
}

std::string real_or_given_path(const std::string& path) {
  std::string real = real_path(path);
  return real.empty() ? path : real;
}

namespace {
Result<UniqueFd> locked(const std::string& path, int how) {
  UniqueFd fd = TRY(open_file(path, O_RDWR | O_CREAT));
  while (::flock(fd.get(), how) != 0) {
    if (errno == EWOULDBLOCK) return UniqueFd();
    if (errno != EINTR) return Error::from_errno("lock " + path);
  }
  return fd;
}
}  // namespace

Result<FileLock> FileLock::try_take(const std::string& path) {
  FileLock lock;
  lock.fd_ = TRY(locked(path, LOCK_EX | LOCK_NB));
  return lock;
}

Result<FileLock> FileLock::take(const std::string& path) {
  FileLock lock;
  lock.fd_ = TRY(locked(path, LOCK_EX));
  return lock;
}

void FileLock::sign() const {
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd_.get(), 0) == 0) (void)!::pwrite(fd_.get(), text.data(), text.size(), 0);
}

bool FileLock::is_at(const std::string& path) const {
  struct stat ours {
  }, there{};
  if (!fd_ || ::fstat(fd_.get(), &ours) != 0 || ::stat(path.c_str(), &there) != 0) return false;
  return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

}  // namespace talaria
