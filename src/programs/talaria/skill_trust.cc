#include "talaria/skill_trust.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/text.h"
#include "config/file.h"
#include "config/list_edit.h"
#include "config/settings.h"
#include "os/file.h"
#include "talaria/job_guard.h"

namespace talaria {
namespace {

constexpr const char* trusted_key = "skills.trusted_project_dirs";
constexpr int most_levels = 64;

std::string persons_home() {
  const char* home = std::getenv("HOME");
  if (home && *home) return real_path(home);
  const passwd* entry = ::getpwuid(::getuid());
  return entry && entry->pw_dir ? real_path(entry->pw_dir) : "";
}

// The nearest folder at or above a real path that has a .git, or empty.
std::string repository_around(std::string folder) {
  for (int level = 0; level < most_levels; ++level) {
    if (exists(folder + "/.git")) return folder;
    if (folder == "/") break;
    folder = folder.substr(0, std::max<size_t>(folder.find_last_of('/'), 1));
  }
  return "";
}

Result<> check_project(const std::string& project) {
  if (project == "/") return Error(ErrorCode::denied, "/ is no project; trust the folder of one");
  if (project == persons_home()) {
    return Error(ErrorCode::denied, project + " is your home and no project; trust a folder below it");
  }
  return ok;
}

Result<Settings> settings_of(const Home& home, std::string_view text) {
  Result<Settings> settings = parse_settings(text);
  if (!settings) return Error(settings.error().code(), home.config() + ":" + settings.error().message());
  return settings;
}

// As written in the file, every entry that means `project`.
std::vector<std::string> trusted_entries(const std::vector<std::string>& trusted, const std::string& project) {
  std::vector<std::string> entries;
  for (const std::string& entry : trusted) {
    if (entry == project || real_path(entry) == project) entries.push_back(entry);
  }
  return entries;
}

// The project of find_project; for a folder that is gone, where it was.
Result<std::string> find_trusted(const std::optional<std::string>& path) {
  if (!path || !real_path(*path).empty()) return find_project(path);
  std::error_code failed;
  const std::string place = std::filesystem::absolute(*path, failed).lexically_normal().string();
  if (failed) return Error::from_number(failed.value(), "look for " + *path);
  return place.size() > 1 && place.ends_with('/') ? place.substr(0, place.size() - 1) : place;
}

}  // namespace

Result<std::string> find_project(const std::optional<std::string>& path) {
  const std::string start = real_path(path.value_or("."));
  if (start.empty()) return Error::from_errno("look for " + path.value_or("the current directory"));
  struct stat info {};
  if (::stat(start.c_str(), &info) != 0) return Error::from_errno("look at " + start);
  if (!S_ISDIR(info.st_mode)) return invalid(start + " is not a folder");
  std::string project = repository_around(start);
  if (project.empty() && !path) {
    return Error(ErrorCode::not_found, "there is no git repository here; name the folder of the project");
  }
  if (project.empty() || (path && check_project(start) && !check_project(project))) project = start;
  TRY(check_project(project));
  return project;
}

Result<TrustOutcome> trust_project(const Home& home, const std::optional<std::string>& path) {
  TRY(refuse_inside_job("no project can be trusted"));
  TrustOutcome outcome{TRY(find_project(path)), false};
  TRY(home.prepare());
  TRY(edit_config_file(home.config(), [&](std::string_view text) -> Result<std::string> {
    const Settings settings = TRY(settings_of(home, text));
    outcome.changed = trusted_entries(settings.skills.trusted_project_dirs, outcome.project).empty();
    return outcome.changed ? add_to_list(text, trusted_key, outcome.project) : Result(std::string(text));
  }));
  return outcome;
}

Result<TrustOutcome> untrust_project(const Home& home, const std::optional<std::string>& path) {
  TRY(refuse_inside_job("the trust in a project cannot be changed"));
  TrustOutcome outcome{TRY(find_trusted(path)), true};
  TRY(home.prepare());
  TRY(edit_config_file(home.config(), [&](std::string_view text) -> Result<std::string> {
    const Settings settings = TRY(settings_of(home, text));
    const auto entries = trusted_entries(settings.skills.trusted_project_dirs, outcome.project);
    if (entries.empty()) return Error(ErrorCode::not_found, outcome.project + " is not trusted");
    std::string edited(text);
    for (const std::string& entry : entries) edited = TRY(remove_from_list(edited, trusted_key, entry));
    return edited;
  }));
  return outcome;
}

}  // namespace talaria
