#include "skills/linked_files.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/text.h"
#include "skills/skill_body_text.h"
#include "skills/skill_file_open.h"

namespace talaria {
namespace {

constexpr size_t most_files = 2000;
constexpr size_t most_linked_depth = 16;
constexpr size_t most_looked_at = 100'000;
constexpr size_t most_named = 20;

// What tools leave behind, which nobody reads as part of a skill.
constexpr std::array<std::string_view, 13> skipped_folders = {
    ".git",          ".hg",  ".svn", "node_modules",  "__pycache__", ".venv",      "venv",
    "site-packages", ".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache"};
constexpr std::array<std::string_view, 2> skipped_files = {".DS_Store", "Thumbs.db"};

class Walk {
 public:
  Walk(const InnerFolder& folder, std::string_view own_file) : folder_(folder), own_file_(own_file) {}

  Result<LinkedFiles> run() {
    UniqueFd top(::openat(folder_.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!top) return Error::from_errno("list the skill's files");
    look_into(std::move(top), "", 0);
    std::sort(found_.files.begin(), found_.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return std::move(found_);
  }

 private:
  // A folder that cannot be read has nothing to list.
  void look_into(UniqueFd fd, const std::string& prefix, size_t depth) {
    for (const std::string& name : names_in(fd)) {
      if (++looked_at_ > most_looked_at) {
        found_.complete = false;
        return;
      }
      look_at(fd.get(), name, prefix, depth);
    }
  }

  std::vector<std::string> names_in(const UniqueFd& fd) {
    std::vector<std::string> names;
    std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)), ::closedir);
    if (!entries) return names;
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (names.size() >= most_looked_at) {
        found_.complete = false;
        break;
      }
      names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void look_at(int parent, const std::string& name, const std::string& prefix, size_t depth) {
    struct stat info {};
    if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    const std::string path = prefix + name;
    if (S_ISDIR(info.st_mode)) return look_at_folder(parent, name, path, depth);
    if (path == own_file_ || std::ranges::count(skipped_files, name) > 0) return;
    if (S_ISLNK(info.st_mode)) return look_at_link(path);
    if (S_ISREG(info.st_mode)) add(path, static_cast<uint64_t>(info.st_size));
  }

  void look_at_folder(int parent, const std::string& name, const std::string& path, size_t depth) {
    if (std::ranges::count(skipped_folders, name) > 0 || depth + 1 > most_linked_depth) {
      if (found_.skipped.size() < most_named) found_.skipped.push_back(path);
      return;
    }
    UniqueFd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd) look_into(std::move(fd), path + "/", depth + 1);
  }

  void look_at_link(const std::string& path) {
    const Result<HeldFile> file = folder_.find(path);
    if (file && S_ISREG(file->info.st_mode)) return add(path, static_cast<uint64_t>(file->info.st_size));
    if (!file && file.error().code() == ErrorCode::denied && file.error().number() == 0 &&
        found_.leads_outside.size() < most_named)
      found_.leads_outside.push_back(path);
  }

  void add(const std::string& path, uint64_t size) {
    if (found_.files.size() < most_files) found_.files.push_back({path, size});
    else ++found_.left_out;
  }

  const InnerFolder& folder_;
  std::string_view own_file_;
  size_t looked_at_ = 0;
  LinkedFiles found_;
};

std::string shown_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> shown;
  for (const std::string& path : paths) shown.push_back(shown_line(path));
  return join(shown, ", ");
}

}  // namespace

Result<LinkedFiles> list_linked_files(const std::string& directory, std::string_view own_file) {
  const InnerFolder folder = TRY(InnerFolder::open(directory));
  return Walk(folder, own_file).run();
}

Json linked_files_json(const LinkedFiles& linked) {
  constexpr std::array<std::string_view, 5> groups = {"references", "templates", "assets", "scripts", "other"};
  if (linked.files.empty()) return nullptr;
  std::array<JsonArray, groups.size()> members;
  for (const LinkedFile& file : linked.files) {
    const std::string_view top = std::string_view(file.path).substr(0, file.path.find('/'));
    const bool inside = top.size() < file.path.size();
    const auto* group = inside ? std::find(groups.begin(), groups.end() - 1, top) : groups.end() - 1;
    // Names are bytes; JSON is text. A name that is no text is shown, but cannot be asked for.
    members[static_cast<size_t>(group - groups.begin())].push_back(
        JsonObject{{"path", path_text(file.path)}, {"size", file.size}});
  }
  JsonObject object;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!members[i].empty()) object[groups[i]] = std::move(members[i]);
  }
  return object;
}

std::string linked_files_note(const LinkedFiles& linked) {
  std::vector<std::string> notes;
  if (linked.left_out > 0)
    notes.push_back((linked.complete ? "" : "At least ") + with_commas(linked.left_out) +
                    " more files are not listed.");
  else if (!linked.complete) notes.emplace_back("There are more files than could be looked at.");
  if (!linked.leads_outside.empty())
    notes.push_back("Links that lead outside the skill, and are not opened: " + shown_paths(linked.leads_outside) +
                    ".");
  if (!linked.skipped.empty()) notes.push_back("Folders not listed: " + shown_paths(linked.skipped) + ".");
  return join(notes, " ");
}

}  // namespace talaria
