#include "sandbox/pinned_path.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/text.h"
#include "base/unseen.h"
#include "os/fd.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr int most_links = 40;

// What the dynamic linker goes by before the program's own first instruction.
constexpr const char* linkers_files[] = {"/etc/ld.so.preload", "/etc/ld.so.cache"};

Error not_pinned(const std::string& path, const std::string& why) {
  return {ErrorCode::denied, shown_line(path + " could be exchanged in the sandbox: " + why)};
}

bool is_read_only(int fd) {
  struct statvfs status {};
  return ::fstatvfs(fd, &status) == 0 && (status.f_flag & ST_RDONLY);
}

bool is_mount_root(int fd) {
  const Result<MountPosition> position = position_of(fd);
  return position && position->at_root;
}

bool lies_on(const MountIds& mounts, int fd) {
  if (mounts.empty()) return false;
  const Result<MountPosition> position = position_of(fd);
  return !position || mounts.contains(position->mount);
}

mode_t mode_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? status.st_mode : 0;
}

// Goes down a path, one name at a time.
class PinnedWalk {
 public:
  PinnedWalk(const std::string& path, const MountIds& loose) : path_(path), loose_(loose) {}

  // O_PATH of what is there; none when nothing is.
  Result<UniqueFd> go();

 private:
  Result<> plan();
  Result<> follow(int link);
  Result<bool> step(const std::string& name);

  const std::string& path_;
  const MountIds& loose_;
  std::deque<std::string> names_;  // still to go
  std::vector<UniqueFd> folders_;  // from / to where we are
  int links_ = 0;
};

Result<> PinnedWalk::plan() {
  if (!path_.starts_with('/') || path_.size() < 2) return not_pinned(path_, "it is not a whole path");
  for (const std::string& name : split(path_.substr(1), '/')) {
    if (name.empty() || name == "." || name == "..") return not_pinned(path_, "it is not in its plainest form");
    names_.push_back(name);
  }
  folders_.push_back(TRY(open_file("/", O_PATH | O_DIRECTORY)));
  return ok;
}

// Where we are now has no link in it, so the directory above is the one before.
Result<> PinnedWalk::follow(int link) {
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(link, "", target, sizeof target);
  if (length <= 0 || length == sizeof target) return not_pinned(path_, "it leads through a link that cannot be read");
  if (++links_ > most_links) return Error::from_number(ELOOP, "open " + path_);
  const std::string text(target, static_cast<size_t>(length));
  if (text.starts_with('/')) folders_.resize(1);
  const std::vector<std::string> names = split(text, '/');
  names_.insert(names_.begin(), names.begin(), names.end());
  return ok;
}

// False: there is nothing, and nobody can put anything there.
Result<bool> PinnedWalk::step(const std::string& name) {
  if (name.empty() || name == ".") return true;
  if (name == "..") {
    if (folders_.size() > 1) folders_.pop_back();
    return true;
  }
  const bool fixed = is_read_only(folders_.back().get());
  UniqueFd next(::openat(folders_.back().get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!next && errno == ENOENT && fixed) return false;
  if (!next) return Error::from_errno("open " + name + " of " + path_);
  if (lies_on(loose_, next.get())) return not_pinned(path_, name + " was shown while commands ran");
  if (!fixed && !is_mount_root(next.get())) return not_pinned(path_, name + " lies in a directory that can be written");
  if (S_ISLNK(mode_of(next.get()))) TRY(follow(next.get()));
  else folders_.push_back(std::move(next));
  return true;
}

Result<UniqueFd> PinnedWalk::go() {
  TRY(plan());
  while (!names_.empty()) {
    const std::string name = std::move(names_.front());
    names_.pop_front();
    if (!TRY(step(name))) return UniqueFd();
  }
  if (!is_read_only(folders_.back().get())) return not_pinned(path_, "it can be written");
  return std::move(folders_.back());
}

Result<> require_pinned_file(const std::string& path, const MountIds& loose) {
  const UniqueFd file = TRY(PinnedWalk(path, loose).go());
  if (!file) return Error::from_number(ENOENT, "open " + path);
  const mode_t mode = mode_of(file.get());
  if (!S_ISREG(mode)) return Error(ErrorCode::denied, shown_line(path) + " is not a file");
  if (mode & (S_ISUID | S_ISGID)) return Error(ErrorCode::denied, shown_line(path) + " takes the powers of its owner");
  return require_pinned(path.substr(0, std::max<size_t>(path.rfind('/'), 1)), loose);
}

Result<> require_no_script(const std::string& path) {
  const UniqueFd file = TRY(open_file(path, O_RDONLY));
  char magic[4] = {};
  if (::read(file.get(), magic, sizeof magic) == sizeof magic && std::memcmp(magic, "\177ELF", 4) == 0) return ok;
  return Error(ErrorCode::denied, shown_line(path) + " is not a program");
}

}  // namespace

Result<> require_pinned(const std::string& path, const MountIds& loose) {
  if (path == "/") {
    const UniqueFd root = TRY(open_file("/", O_PATH | O_DIRECTORY));
    return is_read_only(root.get()) ? Result<>(ok) : not_pinned(path, "it can be written");
  }
  TRY(PinnedWalk(path, loose).go());
  return ok;
}

Result<> require_pinned_program(const std::vector<std::string>& argv, const MountIds& loose) {
  if (argv.empty() || !argv[0].starts_with('/')) return invalid("a program needs a path");
  for (const char* file : linkers_files) TRY(require_pinned(file, loose));
  for (const std::string& word : argv) {
    if (word.starts_with('/')) TRY(require_pinned_file(word, loose));
  }
  return require_no_script(argv[0]);
}

}  // namespace talaria
