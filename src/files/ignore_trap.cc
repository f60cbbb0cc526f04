#include "files/ignore_trap.h"

#include <array>
#include <deque>

#include "files/loaded_file.h"
#include "files/name_glob.h"

namespace talaria {
namespace {

constexpr size_t most_trap_folders = 500'000;
constexpr size_t most_pointer_bytes = 64 << 10;
constexpr std::array<std::string_view, 3> ignore_names = {".ignore", ".rgignore", ".gitignore"};
constexpr std::array<std::string_view, 3> home_names = {".gitconfig", ".config/git/config", ".config/git/ignore"};

std::string within(const std::string& folder, std::string_view name) {
  return (folder.empty() || folder.ends_with('/') ? folder : folder + "/") + std::string(name);
}

// A FIFO, or a device other than the one that is empty. A socket cannot be opened at all, so nobody waits for it.
std::optional<std::string> what_never_ends(FileSystem& files, const std::string& path) {
  const Result<FoundFile> found = files.find(path);
  // A link into a process's part of /proc, where rg would find its own pipes.
  if (!found) {
    if (found.error().code() == ErrorCode::denied && found.error().number() == 0) return "a link to a process's file";
    return std::nullopt;
  }
  const FileType type = found->stat.type;
  const bool endless =
      type == FileType::fifo || (type == FileType::character_device && found->real_path != "/dev/null");
  return endless ? std::optional<std::string>(describe(type)) : std::nullopt;
}

struct TrapFolder {
  std::string path;   // absolute
  std::string shown;  // as rg would name it; empty: the current directory
};

class TrapSearch {
 public:
  TrapSearch(FileSystem& files, const SearchRequest& request, const std::atomic<bool>& cancelled)
      : files_(files), cancelled_(cancelled), into_hidden_(NameGlob(request.file_glob).names_hidden()) {
    if (request.target == SearchTarget::files) into_hidden_ |= NameGlob(request.pattern).names_hidden();
  }

  std::optional<IgnoreTrap> in_home(const std::string& home) {
    if (home.empty()) return std::nullopt;
    for (const std::string_view name : home_names)
      if (auto trap = at(within(home, name), within(home, name))) return trap;
    return std::nullopt;
  }

  std::optional<IgnoreTrap> above(std::string folder) {
    while (folder != "/" && !cancelled_) {
      folder = parent_of(folder);
      for (const std::string_view name : ignore_names)
        if (auto trap = at(within(folder, name), within(folder, name))) return trap;
      if (auto trap = in_repository({folder, folder})) return trap;
    }
    return std::nullopt;
  }

  std::optional<IgnoreTrap> below(TrapFolder root) {
    std::deque<TrapFolder> waiting{std::move(root)};
    for (size_t seen = 0; !waiting.empty() && seen < most_trap_folders && !cancelled_; ++seen) {
      const TrapFolder folder = std::move(waiting.front());
      waiting.pop_front();
      const Result<FileListing> listing = files_.list(folder.path);
      if (!listing) continue;
      for (const FileEntry& entry : listing->entries) {
        if (auto trap = judge(folder, entry)) return trap;
        const bool hidden = entry.name.starts_with('.');
        if (entry.type == FileType::directory && entry.name != ".git" && (!hidden || into_hidden_))
          waiting.push_back({within(folder.path, entry.name), within(folder.shown, entry.name)});
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<IgnoreTrap> at(const std::string& path, const std::string& shown) {
    if (auto what = what_never_ends(files_, path)) return IgnoreTrap{shown, *std::move(what)};
    return std::nullopt;
  }

  std::optional<IgnoreTrap> in_repository(const TrapFolder& folder) {
    constexpr std::string_view exclude = ".git/info/exclude";
    if (auto trap = at(within(folder.path, exclude), within(folder.shown, exclude))) return trap;
    return in_worktree(folder.path);
  }

  // Where .git is a file, it names the repository's own folder, and a file there the one that others share with it.
  std::optional<IgnoreTrap> in_worktree(const std::string& folder) {
    constexpr std::string_view prefix = "gitdir: ";
    const std::string pointer = first_line_of(within(folder, ".git"));
    if (!pointer.starts_with(prefix)) return std::nullopt;
    const std::string own = absolute(pointer.substr(prefix.size()), folder);
    const std::string common = within(own, "commondir");
    if (auto trap = at(common, common)) return trap;
    const std::string shared = first_line_of(common);
    if (shared.empty()) return std::nullopt;
    const std::string exclude = within(absolute(shared, own), "info/exclude");
    return at(exclude, exclude);
  }

  std::string first_line_of(const std::string& path) {
    const Result<LoadedFile> file = load_file(files_, path, most_pointer_bytes);
    return file ? file->bytes.substr(0, file->bytes.find('\n')) : "";
  }
  static std::string absolute(const std::string& path, const std::string& base) {
    return path.starts_with('/') ? path : within(base, path);
  }

  std::optional<IgnoreTrap> judge(const TrapFolder& folder, const FileEntry& entry) {
    if (entry.name == ".git") return in_repository(folder);
    if (entry.type == FileType::regular || entry.type == FileType::directory) return std::nullopt;
    for (const std::string_view name : ignore_names)
      if (entry.name == name) return at(within(folder.path, name), within(folder.shown, name));
    return std::nullopt;
  }

  FileSystem& files_;
  const std::atomic<bool>& cancelled_;
  bool into_hidden_;
};

}  // namespace

std::optional<IgnoreTrap> find_ignore_trap(FileSystem& files, const SearchRequest& request, const std::string& home,
                                           const std::atomic<bool>& cancelled) {
  TrapSearch search(files, request, cancelled);
  if (auto trap = search.in_home(home)) return trap;
  if (auto trap = search.above(request.real_path)) return trap;
  return search.below({request.real_path, request.path == "." ? "" : request.path});
}

}  // namespace talaria
