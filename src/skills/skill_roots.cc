#include "skills/skill_roots.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/result.h"
#include "base/text.h"
#include "os/fd.h"
#include "os/file.h"
#include "skills/skill_walk.h"

namespace talaria {
namespace {

constexpr size_t most_levels_up = 64;
// To say that there are skills in a folder it need not be walked to its end.
constexpr size_t most_counted_folders = 500;

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::optional<FileStamp> folder_at(const std::string& path) {
  struct stat info {};
  if (path.empty() || ::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return std::nullopt;
  return file_stamp(info);
}

struct SkillCount {
  size_t skills = 0;
  size_t folders = 0;
};

void count_skills(const std::string& path, size_t depth, SkillCount& count) {
  if (++count.folders > most_counted_folders) return;
  const UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return;
  const Result<SkillListing> listing = list_skill_folder(directory.get());
  if (!listing) return;
  if (!listing->skill_file.empty()) ++count.skills;
  if (depth == deepest_skill_folder) return;
  for (const std::string& name : listing->folders) count_skills(path + "/" + name, depth + 1, count);
}

// Puts the list together, one place after the other.
class RootSearch {
 public:
  explicit RootSearch(const SkillPlaces& places) : places_(places) {}

  SkillRoots search() {
    // Before all others: what is known of the origin of its skills must not be lost to a root that is the same folder.
    const std::string own = without_slash(places_.talaria_home) + "/skills";
    if (const auto stamp = folder_at(own)) taken_.push_back(*stamp);
    add_project();
    if (!places_.talaria_home.empty()) found_.roots.push_back({own, SkillSource::home, Trust::local});
    if (!places_.home.empty()) add(without_slash(places_.home) + "/.agents/skills", SkillSource::agents, Trust::local);
    for (const std::string& configured : places_.external_dirs) add_external(configured);
    add_hermes();
    add(without_slash(places_.bundled), SkillSource::bundled, Trust::builtin);
    return std::move(found_);
  }

 private:
  enum class Added { yes, known, absent };

  Added add(const std::string& path, SkillSource source, Trust trust) {
    const std::optional<FileStamp> stamp = folder_at(path);
    if (!stamp) return Added::absent;
    const bool known = std::any_of(taken_.begin(), taken_.end(), [&](const FileStamp& other) {
      return other.inode == stamp->inode && other.device == stamp->device;
    });
    if (known) return Added::known;
    taken_.push_back(*stamp);
    found_.roots.push_back({path, source, trust});
    return Added::yes;
  }

  void add_project() {
    const std::string project = git_root_of(places_.cwd, places_.home);
    if (project.empty()) return;
    std::vector<std::string> folders;
    for (const char* name : {"/.talaria/skills", "/.agents/skills", "/.claude/skills", "/.hermes/skills"}) {
      folders.push_back(project + name);
    }
    const bool trusted = std::any_of(
        places_.trusted_projects.begin(), places_.trusted_projects.end(),
        [&](const std::string& path) { return without_slash(path) == project || real_path(path) == project; });
    if (!trusted) return report_untrusted(project, folders);
    for (const std::string& folder : folders) add(folder, SkillSource::project, Trust::local);
  }

  void report_untrusted(const std::string& project, const std::vector<std::string>& folders) {
    SkillCount count;
    for (const std::string& folder : folders) {
      if (folder_at(folder)) count_skills(folder, 0, count);
    }
    if (count.skills == 0) return;
    const std::string number = std::to_string(count.skills) + (count.folders > most_counted_folders ? " or more" : "");
    found_.diagnostics.push_back({Severity::warning, project,
                                  number + (number == "1" ? " project skill in " : " project skills in ") + project +
                                      (number == "1" ? " is" : " are") + " not shown; talaria skills trust " +
                                      shell_quote(project)});
  }

  void add_external(const std::string& configured) {
    Result<std::string> path = expand(configured);
    if (!path) return skip(configured, path.error().message());
    for (const char* kernel : {"/", "/proc", "/sys", "/dev"}) {
      if (*path == kernel || (kernel[1] != 0 && path->starts_with(std::string(kernel) + "/"))) {
        return skip(*path, "no skills are looked for there");
      }
    }
    const Trust trust = is_kept_by_another(*path) ? Trust::community : Trust::local;
    if (add(*path, SkillSource::external, trust) == Added::absent) skip(*path, "there is no such folder");
  }

  // The folder of another agent program, whose hub and whose agent put skills there too.
  static bool is_kept_by_another(const std::string& folder) {
    for (const char* trace : {"/.hub", "/.usage.json", "/.bundled_manifest", "/.curator_ledger.jsonl"}) {
      struct stat info {};
      if (::stat((folder + trace).c_str(), &info) == 0) return true;
    }
    return false;
  }

  void skip(const std::string& path, const std::string& why) {
    found_.diagnostics.push_back({Severity::warning, path, "skills.external_dirs: " + why + "; left out"});
  }

  Result<std::string> expand(const std::string& configured) const {
    std::string path = std::string(trim(configured));
    if (path.empty()) return invalid("an empty path");
    if (path == "~" || path.starts_with("~/")) path = places_.home + path.substr(1);
    for (size_t at = path.find("${"); at != std::string::npos; at = path.find("${", at)) {
      const size_t end = path.find('}', at);
      if (end == std::string::npos) return invalid("${ without its }");
      const std::string name = path.substr(at + 2, end - at - 2);
      const std::optional<std::string> value = places_.variable ? places_.variable(name) : std::nullopt;
      if (!value || value->empty()) return invalid("the variable " + name + " is not set");
      path.replace(at, end + 1 - at, *value);
      at += value->size();
    }
    if (!path.starts_with('/')) path = without_slash(places_.talaria_home) + "/" + path;
    return without_slash(path);
  }

  // Its hub and its agent put skills there too, and nothing tells them from the person's: none is trusted.
  void add_hermes() {
    const std::string home = !places_.hermes_home.empty() ? without_slash(places_.hermes_home)
                             : places_.home.empty()       ? ""
                                                          : without_slash(places_.home) + "/.hermes";
    if (!home.empty()) add(home + "/skills", SkillSource::external, Trust::community);
  }

  const SkillPlaces& places_;
  SkillRoots found_;
  std::vector<FileStamp> taken_;
};

}  // namespace

SkillRoots find_skill_roots(const SkillPlaces& places) { return RootSearch(places).search(); }

std::string git_root_of(const std::string& cwd, const std::string& home) {
  std::string path = cwd.empty() ? "" : real_path(cwd);
  const std::string end = home.empty() ? "" : real_path(home);
  for (size_t level = 0; level < most_levels_up; ++level) {
    if (path.empty() || path == "/" || path == end) return "";
    struct stat info {};
    if (::stat((path + "/.git").c_str(), &info) == 0) return path;
    path = path.substr(0, std::max<size_t>(path.rfind('/'), 1));
  }
  return "";
}

}  // namespace talaria
