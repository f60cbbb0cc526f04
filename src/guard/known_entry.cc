#include "guard/known_entry.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <ctime>
#include <memory>

#include "base/clock.h"
#include "base/id.h"
#include "base/unseen.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr size_t longest_kept = 1 << 20;
// Longer than the kernel's tick, by which it stamps.
constexpr auto stamp_width = 50ms;

struct CloseFolder {
  void operator()(DIR* listing) const { ::closedir(listing); }
};

KnownEntry::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return KnownEntry::Kind::file;
  if (S_ISLNK(mode)) return KnownEntry::Kind::link;
  return S_ISDIR(mode) ? KnownEntry::Kind::folder : KnownEntry::Kind::other;
}

// Whether a change from now on gets another stamp.
bool is_past(const timespec& stamp) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto since =
      std::chrono::seconds(now.tv_sec - stamp.tv_sec) + std::chrono::nanoseconds(now.tv_nsec - stamp.tv_nsec);
  return since > stamp_width;
}

void read_target(int directory, const std::string& name, KnownEntry& entry) {
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(directory, name.c_str(), target, sizeof target);
  entry.whole = length >= 0;
  if (length > 0) entry.content.assign(target, static_cast<size_t>(length));
}

// What we opened may be another file than the one we looked at: the facts are those of what was read.
void read_content(int directory, const std::string& name, KnownEntry& entry) {
  const UniqueFd file(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  entry.whole = file && ::fstat(file.get(), &entry.status) == 0 && S_ISREG(entry.status.st_mode) &&
                static_cast<uint64_t>(entry.status.st_size) <= longest_kept;
  if (!entry.whole) return;
  Result<std::string> content = read_at(file.get(), 0, longest_kept + 1);
  entry.whole = content && content->size() <= longest_kept;
  if (entry.whole) entry.content = *std::move(content);
}

UniqueFd open_with(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  const char* below = path.empty() ? "." : path.c_str();
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, root, below, &how, sizeof how)));
}

std::string name_beside() { return ".talaria-new-" + id_from(random_u64()); }

void give_owner(int directory, const std::string& name, const struct stat& like) {
  // An ordinary user owns both already.
  (void)!::fchownat(directory, name.c_str(), like.st_uid, like.st_gid, AT_SYMLINK_NOFOLLOW);
}

Result<> move_over(int directory, const std::string& beside, const std::string& name) {
  if (::renameat(directory, beside.c_str(), directory, name.c_str()) == 0) return ok;
  Error error = Error::from_errno("put " + name + " back");
  ::unlinkat(directory, beside.c_str(), 0);
  return error;
}

}  // namespace

bool is_untouched(const KnownEntry& entry, const struct stat& now) {
  const struct stat& before = entry.status;
  return entry.settled && before.st_dev == now.st_dev && before.st_ino == now.st_ino && before.st_size == now.st_size &&
         before.st_mode == now.st_mode && before.st_ctim.tv_sec == now.st_ctim.tv_sec &&
         before.st_ctim.tv_nsec == now.st_ctim.tv_nsec;
}

KnownEntry look_at_folder(int directory) {
  KnownEntry entry;
  entry.kind = KnownEntry::Kind::folder;
  entry.settled = ::fstat(directory, &entry.status) == 0 && is_past(entry.status.st_ctim);
  return entry;
}

std::optional<KnownEntry> look_at_entry(int directory, const std::string& name) {
  KnownEntry entry;
  if (::fstatat(directory, name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  entry.kind = kind_of(entry.status.st_mode);
  if (entry.kind == KnownEntry::Kind::file) read_content(directory, name, entry);
  if (entry.kind == KnownEntry::Kind::link) read_target(directory, name, entry);
  entry.settled = is_past(entry.status.st_ctim);
  return entry;
}

Result<> write_entry(int directory, const std::string& name, const std::string& content, const struct stat& like) {
  const std::string beside = name_beside();
  const UniqueFd file(::openat(directory, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return Error::from_errno("make a file beside " + name);
  Result<> written = write_all(file.get(), content);
  if (!written) {
    ::unlinkat(directory, beside.c_str(), 0);
    return written;
  }
  (void)!::fchown(file.get(), like.st_uid, like.st_gid);
  (void)!::fchmod(file.get(), like.st_mode & 0777);
  return move_over(directory, beside, name);
}

Result<> put_back(int directory, const std::string& name, const KnownEntry& entry) {
  if (!entry.whole) return Error(ErrorCode::unavailable, shown_line(name) + " was too long to be kept");
  if (entry.kind == KnownEntry::Kind::file) return write_entry(directory, name, entry.content, entry.status);
  if (entry.kind != KnownEntry::Kind::link)
    return Error(ErrorCode::unavailable, shown_line(name) + " was neither file nor link");
  const std::string beside = name_beside();
  if (::symlinkat(entry.content.c_str(), directory, beside.c_str()) != 0) {
    return Error::from_errno("make a link beside " + name);
  }
  give_owner(directory, beside, entry.status);
  return move_over(directory, beside, name);
}

UniqueFd open_guarded_folder(int root, const std::string& path) { return open_with(root, path, O_RDONLY); }

UniqueFd open_closed_folder(int root, const std::string& path) {
  UniqueFd folder = open_guarded_folder(root, path);
  if (folder || errno != EACCES) return folder;
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const UniqueFd handle = open_with(root, path.substr(0, end), O_PATH);
    struct stat status {};
    if (!handle || ::fstat(handle.get(), &status) != 0) return {};
    constexpr mode_t open_to_owner = S_IRUSR | S_IXUSR;
    if ((status.st_mode & open_to_owner) == open_to_owner) continue;
    const std::string name = "/proc/self/fd/" + std::to_string(handle.get());
    if (::chmod(name.c_str(), (status.st_mode & 07777) | open_to_owner) != 0) return {};
  }
  return open_guarded_folder(root, path);
}

std::vector<FolderEntry> entries_of(int directory, size_t most) {
  std::vector<FolderEntry> entries;
  UniqueFd again(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!again) return entries;
  const std::unique_ptr<DIR, CloseFolder> listing(::fdopendir(again.get()));
  if (!listing) return entries;
  (void)again.release();
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    unsigned char type = entry->d_type;
    struct stat status {};
    if (type == DT_UNKNOWN && ::fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      type = IFTODT(status.st_mode);
    }
    if (entries.size() == most) break;
    entries.push_back({name, type == DT_DIR, type == DT_LNK || type == DT_FIFO});
  }
  return entries;
}

}  // namespace talaria
