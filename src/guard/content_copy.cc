#include <fcntl.h>

#include <climits>

#include "guard/content.h"
#include "os/file.h"

namespace talaria {
namespace {

class ContentCopy {
 public:
  explicit ContentCopy(const ContentBounds& bounds) : left_(bounds) {}

  Result<> copy(int from, const std::string& name, int to, const std::string& new_name, int level) {
    if (left_.entries-- == 0 || level > most_copied_levels) return too_large();
    const UniqueFd handle = TRY(handle_of(from, name));
    const struct stat info = facts_of(handle);
    if (S_ISREG(info.st_mode)) return copy_file(handle, info, to, new_name);
    if (S_ISDIR(info.st_mode)) return copy_folder(handle, info, to, new_name, level);
    if (S_ISLNK(info.st_mode)) {
      char target[PATH_MAX];
      const ssize_t length = ::readlinkat(handle.get(), "", target, sizeof target);
      if (length < 0) return Error::from_errno("read the link " + name);
      const std::string text(target, static_cast<size_t>(length));
      if (::symlinkat(text.c_str(), to, new_name.c_str()) != 0) return Error::from_errno("make the link " + new_name);
    } else {
      if (::mknodat(to, new_name.c_str(), info.st_mode & S_IFMT, info.st_rdev) != 0) {
        return Error::from_errno("make " + new_name);
      }
      (void)::fchmodat(to, new_name.c_str(), info.st_mode & 07777, 0);
    }
    give_owner_and_times(to, new_name, info);
    return ok;
  }

 private:
  static constexpr int most_copied_levels = 64;

  static Error too_large() { return Error::from_number(E2BIG, "copy it"); }

  // Only root can give files away; for all others they are their own already.
  static void give_owner_and_times(int to, const std::string& name, const struct stat& info) {
    (void)!::fchownat(to, name.c_str(), info.st_uid, info.st_gid, AT_SYMLINK_NOFOLLOW);
    const timespec times[2] = {info.st_atim, info.st_mtim};
    (void)::utimensat(to, name.c_str(), times, AT_SYMLINK_NOFOLLOW);
  }

  static void finish(const UniqueFd& made, const struct stat& info) {
    (void)!::fchown(made.get(), info.st_uid, info.st_gid);
    (void)::fchmod(made.get(), info.st_mode & 07777);
    const timespec times[2] = {info.st_atim, info.st_mtim};
    (void)::futimens(made.get(), times);
  }

  Result<> copy_file(const UniqueFd& handle, const struct stat& info, int to, const std::string& new_name) {
    const UniqueFd source = reopen(handle, info, Reading::private_);
    if (!source) return Error::from_errno("read " + new_name);
    const UniqueFd target(::openat(to, new_name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!target) return Error::from_errno("make " + new_name);
    char buffer[64 << 10];
    while (true) {
      const ssize_t count = ::read(source.get(), buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Error::from_errno("read " + new_name);
      if (count == 0) break;
      if (static_cast<uint64_t>(count) > left_.bytes) return too_large();
      left_.bytes -= static_cast<uint64_t>(count);
      TRY(write_all(target.get(), {buffer, static_cast<size_t>(count)}));
    }
    finish(target, info);
    return ok;
  }

  Result<> copy_folder(const UniqueFd& handle, const struct stat& info, int to, const std::string& new_name,
                       int level) {
    const UniqueFd source = reopen(handle, info, Reading::private_);
    if (!source) return Error::from_errno("read " + new_name);
    if (::mkdirat(to, new_name.c_str(), 0700) != 0) return Error::from_errno("make " + new_name);
    const UniqueFd target(::openat(to, new_name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!target) return Error::from_errno("open " + new_name);
    const std::vector<std::string> names = names_in(source, left_.entries + 1);
    if (names.size() > left_.entries) return too_large();
    for (const std::string& child : names) {
      const Result<> copied = copy(source.get(), child, target.get(), child, level + 1);
      if (!copied && copied.error().number() != ENOENT) return copied.error();
    }
    finish(target, info);
    return ok;
  }

  ContentBounds left_;
};

}  // namespace

Result<> copy_content(int from, const std::string& name, int to, const std::string& new_name,
                      const ContentBounds& bounds) {
  return ContentCopy(bounds).copy(from, name, to, new_name, 0);
}

}  // namespace talaria
