#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "os/file.h"
#include "skills/skill_body_text.h"
#include "skills/skill_edit_tree.h"
#include "skills/skill_file_open.h"

namespace talaria {
namespace {

constexpr size_t most_copy_depth = 32;

// As many bytes as the file had when it was looked at: one that grows meanwhile does not grow here.
Result<> copy_bytes(int from, int to, uint64_t size) {
  constexpr uint64_t piece = 256 << 10;
  for (uint64_t done = 0; done < size;) {
    const std::string bytes = TRY(read_at(from, done, static_cast<size_t>(std::min(piece, size - done))));
    if (bytes.empty()) return ok;
    TRY(write_all(to, bytes));
    done += bytes.size();
  }
  return ok;
}

// Mode, without set-id bits, and time; and the whole on the disk.
Result<> settle(int fd, const struct stat& like) {
  const std::array<struct timespec, 2> times = {like.st_atim, like.st_mtim};
  if (::fchmod(fd, like.st_mode & 0777) != 0) return Error::from_errno("set the mode");
  if (::futimens(fd, times.data()) != 0) return Error::from_errno("set the time");
  return sync_folder(fd);
}

class TreeCopy {
 public:
  Result<TreeSize> run(int from, int to) {
    TRY(copy_folder(from, to, 0));
    return size_;
  }

 private:
  Result<> copy_folder(int from, int to, size_t depth) {
    if (depth > most_copy_depth) return too_large();
    for (const std::string& name : TRY(names_in_folder(from))) {
      Result<> done = copy_entry(from, to, name, depth);
      if (!done) return std::move(done).error().within(shown_line(name));
    }
    struct stat info {};
    if (::fstat(from, &info) != 0) return Error::from_errno("look at the folder");
    return settle(to, info);
  }

  Result<> copy_entry(int from, int to, const std::string& name, size_t depth) {
    struct stat info {};
    if (::fstatat(from, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return Error::from_errno("look at it");
    ++size_.files;
    if (S_ISREG(info.st_mode)) size_.bytes += static_cast<uint64_t>(info.st_size);
    if (size_.files > most_tree.files || size_.bytes > most_tree.bytes) return too_large();
    if (S_ISREG(info.st_mode)) return copy_file(from, to, name);
    if (S_ISLNK(info.st_mode)) return copy_link(from, to, name);
    if (!S_ISDIR(info.st_mode)) return invalid("it is " + std::string(kind_of(info)) + ", which cannot be kept");
    const UniqueFd inner = TRY(open_folder_below(from, name));
    const UniqueFd copy = TRY(make_folder_below(to, name, 0700));
    return copy_folder(inner.get(), copy.get(), depth + 1);
  }

  static Result<> copy_file(int from, int to, const std::string& name) {
    const UniqueFd source(::openat(from, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC));
    if (!source) return Error::from_errno("open it");
    struct stat info {};
    if (::fstat(source.get(), &info) != 0 || !S_ISREG(info.st_mode)) return invalid("it changes while it is copied");
    const UniqueFd copy(::openat(to, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!copy) return Error::from_errno("create a copy");
    TRY(copy_bytes(source.get(), copy.get(), static_cast<uint64_t>(info.st_size)));
    return settle(copy.get(), info);
  }

  static Result<> copy_link(int from, int to, const std::string& name) {
    std::array<char, 4096> target{};
    const ssize_t length = ::readlinkat(from, name.c_str(), target.data(), target.size() - 1);
    if (length < 0) return Error::from_errno("read the link");
    if (::symlinkat(target.data(), to, name.c_str()) != 0) return Error::from_errno("copy the link");
    return ok;
  }

  static Error too_large() {
    return invalid("the skill's folder is too large to keep its history (at most " + with_commas(most_tree.files) +
                   " files and " + human_bytes(most_tree.bytes) + "); change it by hand");
  }

  TreeSize size_;
};

void add_size(int folder, size_t depth, TreeSize& size) {
  const Result<std::vector<std::string>> names = names_in_folder(folder);
  if (!names || depth > most_copy_depth) return;
  for (const std::string& name : *names) {
    struct stat info {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    ++size.files;
    if (S_ISREG(info.st_mode)) size.bytes += static_cast<uint64_t>(info.st_size);
    if (!S_ISDIR(info.st_mode)) continue;
    if (const Result<UniqueFd> inner = open_folder_below(folder, name)) add_size(inner->get(), depth + 1, size);
  }
}

}  // namespace

TreeSize tree_size(int folder) {
  TreeSize size;
  add_size(folder, 0, size);
  return size;
}

Result<TreeSize> copy_tree(int from, int to) { return TreeCopy().run(from, to); }

}  // namespace talaria
