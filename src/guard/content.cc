#include "guard/content.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <algorithm>
#include <climits>
#include <memory>

#include "base/id.h"
#include "guard/digest.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr int most_levels = 64;
constexpr size_t longest_path = PATH_MAX - NAME_MAX - 1;

std::string way_to(const UniqueFd& handle) { return "/proc/self/fd/" + std::to_string(handle.get()); }

QuarantinedItem::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return QuarantinedItem::Kind::file;
  if (S_ISDIR(mode)) return QuarantinedItem::Kind::folder;
  return S_ISLNK(mode) ? QuarantinedItem::Kind::link : QuarantinedItem::Kind::other;
}

// Links have no mode; the rest is kept where it is changed.
bool mode_is_kept(mode_t mode) {
  if (S_ISLNK(mode)) return false;
  if (S_ISDIR(mode)) return (mode & 07000) != 0 || (mode & 0700) != 0700;
  return (mode & 07111) != 0 || (mode & 0600) != 0600;
}

class ContentWalk {
 public:
  ContentWalk(const ContentBounds& bounds, Reading reading) : bounds_(bounds), reading_(reading) {}

  ContentFacts facts;

  // The hash of what is there, as long as all is whole.
  Result<std::string> visit(int directory, const std::string& name, const std::string& path, int level) {
    if (++facts.entries > bounds_.entries || level > most_levels || path.size() > longest_path) {
      facts.whole = false;
      return std::string();
    }
    UniqueFd handle = TRY(handle_of(directory, name));
    struct stat info = facts_of(handle);
    if (level == 0) facts.kind = kind_of(info.st_mode);
    if (reading_ == Reading::private_ && S_ISREG(info.st_mode) && info.st_nlink > 1) {
      // Changing its mode would change it under its other names too.
      if (!make_own_copy(directory, name)) return visit_file(handle, info);
      handle = TRY(handle_of(directory, name));
      info = facts_of(handle);
    }
    if (mode_is_kept(info.st_mode)) facts.modes.push_back({path, info.st_mode & 07777});
    if (S_ISREG(info.st_mode)) return visit_file(handle, info);
    if (S_ISDIR(info.st_mode)) return visit_folder(handle, info, path, level);
    Digest digest;
    if (S_ISLNK(info.st_mode)) {
      char target[PATH_MAX];
      const ssize_t length = ::readlinkat(handle.get(), "", target, sizeof target);
      if (length < 0) return Error::from_errno("read the link " + name);
      digest.add("link:");
      digest.add({target, static_cast<size_t>(length)});
    } else {
      digest.add("other:" + std::to_string(info.st_mode & S_IFMT) + ":" + std::to_string(info.st_rdev));
    }
    return digest.hex();
  }

 private:
  static bool make_own_copy(int directory, const std::string& name) {
    const std::string copy = ".talaria-copy-" + id_from(random_u64());
    if (copy_content(directory, name, directory, copy, {}) &&
        ::renameat(directory, copy.c_str(), directory, name.c_str()) == 0) {
      return true;
    }
    ::unlinkat(directory, copy.c_str(), 0);
    return false;
  }

  Result<std::string> visit_file(const UniqueFd& handle, const struct stat& info) {
    const auto size = static_cast<uint64_t>(info.st_size);
    facts.bytes += size;
    if (facts.bytes > bounds_.bytes) facts.whole = false;
    if (!facts.whole) return std::string();
    const UniqueFd file = reopen(handle, info, reading_);
    if (!file) return Error::from_errno("read a file");
    Digest digest;
    digest.add("file:");
    uint64_t left = size;  // a file that grows under us has no end
    char buffer[64 << 10];
    while (left > 0) {
      const ssize_t count = ::read(file.get(), buffer, std::min<uint64_t>(left, sizeof buffer));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Error::from_errno("read a file");
      if (count == 0) break;
      digest.add({buffer, static_cast<size_t>(count)});
      left -= static_cast<uint64_t>(count);
    }
    return digest.hex();
  }

  Result<std::string> visit_folder(const UniqueFd& handle, const struct stat& info, const std::string& path,
                                   int level) {
    const UniqueFd folder = reopen(handle, info, reading_);
    if (!folder) return Error::from_errno("read a folder");
    Digest digest;
    digest.add("folder:");
    for (const std::string& child : names_in(folder, bounds_.entries + 1)) {
      Result<std::string> hash = visit(folder.get(), child, path.empty() ? child : path + "/" + child, level + 1);
      // What went while we looked is not there.
      if (!hash && hash.error().number() == ENOENT) continue;
      digest.add(child + std::string(1, '\0') + TRY(std::move(hash)));
      if (facts.entries > bounds_.entries) break;
    }
    return facts.whole ? digest.hex() : std::string();
  }

  const ContentBounds& bounds_;
  Reading reading_;
};

Result<UniqueFd> open_beneath(int directory, const std::string& path, uint64_t flags, uint64_t resolve) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = resolve;
  UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
  if (!fd) return Error::from_errno("open " + path);
  return fd;
}

}  // namespace

Result<UniqueFd> handle_of(int directory, const std::string& name) {
  UniqueFd handle(::openat(directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!handle) return Error::from_errno("look at " + name);
  return handle;
}

struct stat facts_of(const UniqueFd& handle) {
  struct stat info {};
  (void)::fstat(handle.get(), &info);
  return info;
}

int change_mode(const UniqueFd& handle, mode_t mode) { return ::chmod(way_to(handle).c_str(), mode); }

UniqueFd reopen(const UniqueFd& handle, const struct stat& info, Reading reading) {
  const bool folder = S_ISDIR(info.st_mode);
  // Through /proc, so that it is the very thing we asked about; a pipe that took its place would not be waited for.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (folder ? O_DIRECTORY : 0);
  if (reading == Reading::private_ && folder && (info.st_mode & 0700) != 0700) {
    (void)change_mode(handle, (info.st_mode & 07777) | 0700);
  }
  UniqueFd fd(::open(way_to(handle).c_str(), flags));
  if (fd || errno != EACCES || reading == Reading::only || folder) return fd;
  if (change_mode(handle, 0600) != 0) return fd;
  fd = UniqueFd(::open(way_to(handle).c_str(), flags));
  (void)change_mode(handle, info.st_mode & 07777);
  return fd;
}

std::vector<std::string> names_in(const UniqueFd& folder, uint64_t most) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0)), ::closedir);
  if (!entries) return names;
  ::rewinddir(entries.get());
  while (const dirent* entry = names.size() < most ? ::readdir(entries.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<UniqueFd> open_folder(const std::string& path) {
  return open_beneath(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

Result<ContentFacts> look_at_content(int directory, const std::string& name, const ContentBounds& bounds,
                                     Reading reading) {
  ContentWalk walk(bounds, reading);
  std::string hash = TRY(walk.visit(directory, name, "", 0));
  if (walk.facts.whole) walk.facts.hash = std::move(hash);
  return std::move(walk.facts);
}

void set_modes(int directory, const std::string& name, const std::vector<KeptMode>& modes, Bits bits) {
  const auto set = [&](const KeptMode& kept) {
    const std::string path = kept.path.empty() ? name : name + "/" + kept.path;
    const Result<UniqueFd> handle =
        open_beneath(directory, path, O_PATH | O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
    if (!handle) return;
    const struct stat info = facts_of(*handle);
    if (S_ISLNK(info.st_mode) || (!S_ISDIR(info.st_mode) && info.st_nlink > 1)) return;
    const mode_t stripped = S_ISDIR(info.st_mode) ? (kept.mode & 0777) | 0700 : (kept.mode & 0666) | 0600;
    (void)change_mode(*handle, bits == Bits::stripped ? stripped : kept.mode);
  };
  // A folder that is closed again comes after what is in it.
  if (bits == Bits::stripped) {
    std::for_each(modes.begin(), modes.end(), set);
  } else {
    std::for_each(modes.rbegin(), modes.rend(), set);
  }
}

}  // namespace talaria
