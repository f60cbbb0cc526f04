#include "talaria/import_skills.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "os/file.h"
#include "skills/catalog.h"
#include "skills/skill_adopt.h"
#include "skills/skill_body.h"
#include "skills/slug.h"

namespace talaria {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_skill = 6;
constexpr int deepest_file = 32;

// No link to one: where it leads is not theirs, and may be a circle.
bool is_real_folder(const fs::path& path) {
  std::error_code failed;
  return fs::is_directory(fs::symlink_status(path, failed));
}

bool is_skill(const std::string& folder) { return exists(folder + "/SKILL.md") || exists(folder + "/skill.md"); }

bool is_skipped(const std::string& name) {
  return name.starts_with('.') || name == "node_modules" || name == "venv" || name == "__pycache__" ||
         name == "site-packages";
}

void collect(const std::string& root, const std::string& below, int depth, std::vector<std::string>& found) {
  const Result<std::vector<std::string>> names = list_directory(below.empty() ? root : root + "/" + below);
  if (!names || depth > deepest_skill) return;
  for (const std::string& name : *names) {
    const std::string path = below.empty() ? name : below + "/" + name;
    if (is_skipped(name) || !is_real_folder(root + "/" + path)) continue;
    if (is_skill(root + "/" + path)) found.push_back(path);
    else collect(root, path, depth + 1, found);
  }
}

// One skill on its way. `left_out` are the paths in it that are no file, folder or link inside.
class SkillCopy {
 public:
  explicit SkillCopy(fs::path from) : from_(std::move(from)) {}

  Result<> run(const fs::path& to) { return copy_folder(from_, to, 0); }
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  Result<> copy_folder(const fs::path& from, const fs::path& to, int depth) {
    if (depth > deepest_file) return invalid(from.string() + " is nested too deeply");
    TRY(make_directories(to.string()));
    for (const std::string& name : TRY(list_directory(from.string()))) {
      struct stat info {};
      const fs::path source = from / name, target = to / name;
      if (::lstat(source.c_str(), &info) != 0) return Error::from_errno("look at " + source.string());
      if (S_ISDIR(info.st_mode)) TRY(copy_folder(source, target, depth + 1));
      else if (S_ISREG(info.st_mode)) TRY(copy_file(source, target, info.st_mode & 0777));
      else if (S_ISLNK(info.st_mode) && stays_inside(source)) TRY(copy_link(source, target));
      else left_out_.push_back(source.lexically_relative(from_).string());
    }
    return ok;
  }

  static Result<> copy_file(const fs::path& from, const fs::path& to, mode_t mode) {
    // Nonblocking: what was a file may be a pipe by now.
    const UniqueFd source = TRY(open_file(from.string(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    const UniqueFd target = TRY(open_file(to.string(), O_WRONLY | O_CREAT | O_EXCL));
    std::string buffer(256 << 10, '\0');
    while (true) {
      const ssize_t count = ::read(source.get(), buffer.data(), buffer.size());
      if (count < 0) return Error::from_errno("read " + from.string());
      if (count == 0) break;
      Result<> written = write_all(target.get(), {buffer.data(), static_cast<size_t>(count)});
      if (!written) return std::move(written).error().within(to.string());
    }
    if (::fchmod(target.get(), mode | 0600) != 0) return Error::from_errno("set the mode of " + to.string());
    return ok;
  }

  bool stays_inside(const fs::path& link) const {
    std::error_code failed;
    if (fs::read_symlink(link, failed).is_absolute() || failed) return false;
    const fs::path root = fs::canonical(from_, failed), end = fs::weakly_canonical(link, failed);
    const fs::path relative = end.lexically_relative(root);
    return !failed && !relative.empty() && *relative.begin() != "..";
  }

  static Result<> copy_link(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    fs::copy_symlink(from, to, failed);
    if (failed) return Error::from_number(failed.value(), "link " + to.string());
    return ok;
  }

  fs::path from_;
  std::vector<std::string> left_out_;
};

// The names that skills of a root are found by, as look-ups compare them.
class TakenNames {
 public:
  explicit TakenNames(const std::string& root) {
    Catalog catalog("");
    const auto view = catalog.refresh({SkillRoot{root, SkillSource::home, Trust::local}});
    for (const Skill* skill : view->skills()) add(skill->card.name, skill->directory);
  }

  void add(const std::string& name, const std::string& directory) {
    for (const std::string& one : {name, fs::path(directory).filename().string(), slug_of(name)}) {
      if (!folded_name(one).empty()) places_.emplace(folded_name(one), directory);
    }
  }
  // The folder of the skill that has the name; empty: none.
  std::string owner(const std::string& name) const {
    const auto found = places_.find(folded_name(name));
    return found == places_.end() ? "" : found->second;
  }

 private:
  std::map<std::string, std::string> places_;
};

// As it is shown; of one that cannot be read, the folder's.
std::string name_of_skill(const std::string& folder) {
  const std::string last = fs::path(folder).filename().string();
  const Result<FrontMatter> matter = read_skill(folder + (exists(folder + "/SKILL.md") ? "/SKILL.md" : "/skill.md"));
  return matter ? read_card(*matter, last).name : last;
}

// Never over something that came to be there meanwhile.
Result<> move_to_place(const std::string& from, const std::string& to) {
  TRY(make_directories(fs::path(to).parent_path().string()));
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    return Error::from_errno("move " + from + " to " + to);
  }
  return ok;
}

}  // namespace

std::vector<std::string> find_skill_folders(const std::string& root) {
  std::vector<std::string> found;
  collect(root, "", 1, found);
  return found;
}

std::vector<ImportRow> plan_skill_copies(const std::string& theirs, const std::string& ours) {
  std::vector<ImportRow> rows;
  TakenNames names(ours);
  for (const std::string& path : find_skill_folders(theirs)) {
    const std::string name = name_of_skill(theirs + "/" + path), owner = names.owner(name);
    std::string why;
    if (exists(ours + "/" + path)) why = "one is there already";
    else if (!owner.empty()) why = "the name " + name + " is that of the skill in " + owner;
    rows.push_back(
        {ImportRow::Kind::skill, path, why.empty() ? ImportRow::Result::taken : ImportRow::Result::kept, why});
    if (why.empty()) names.add(name, ours + "/" + path);
  }
  return rows;
}

void copy_skills(std::vector<ImportRow>& rows, const std::string& theirs, const std::string& ours,
                 const std::string& scratch) {
  for (ImportRow& row : rows) {
    if (row.kind != ImportRow::Kind::skill || row.result != ImportRow::Result::taken) continue;
    SkillCopy copy(theirs + "/" + row.name);
    Result<> done = remove_tree(scratch);
    if (done) done = copy.run(scratch);
    // Before it is there: its hub or its agent may have written it.
    if (done) done = mark_foreign_skill(ours, row.name, theirs);
    if (done) done = move_to_place(scratch, ours + "/" + row.name);
    if (!done) {
      row.result = ImportRow::Result::failed;
      row.detail = done.error().message();
    } else if (!copy.left_out().empty()) {
      row.detail = "without " + copy.left_out().front() +
                   (copy.left_out().size() > 1 ? " and " + std::to_string(copy.left_out().size() - 1) + " more" : "") +
                   ", which lead out of it or are no files";
    }
  }
  (void)remove_tree(scratch);
}

}  // namespace talaria
