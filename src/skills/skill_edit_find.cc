#include "skills/skill_edit_find.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/unseen.h"
#include "os/file.h"
#include "skills/skill_body_text.h"
#include "skills/skill_edit_rules.h"
#include "skills/skill_edit_tree.h"
#include "skills/skill_history_change.h"

namespace talaria {
namespace {

constexpr size_t most_search_depth = 6;
constexpr size_t most_inside = 20;

// Calls `visit` with the path of every folder below `path` that has a SKILL.md. Links and hidden folders are passed by.
template <class Visit>
void visit_skills(int folder, const std::string& path, size_t depth, const Visit& visit) {
  const Result<std::vector<std::string>> names = names_in_folder(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.front() == '.' || name == "node_modules" || depth >= most_search_depth) continue;
    const UniqueFd inner(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner) continue;
    const std::string inner_path = path.empty() ? name : path + "/" + name;
    if (!skill_file_in(inner.get()).empty()) visit(inner_path);
    visit_skills(inner.get(), inner_path, depth + 1, visit);
  }
}

std::vector<std::string> folders_called(const HeldSkills& skills, const std::string& name) {
  std::vector<std::string> found;
  visit_skills(skills.root(), "", 0, [&](const std::string& path) {
    if (leaf_name(path) == name || path == name) found.push_back(path);
  });
  return found;
}

// `path` without `root` before it; nothing when it lies elsewhere.
std::optional<std::string> below(const std::string& path, const std::string& root) {
  if (!path.starts_with(root + "/")) return std::nullopt;
  return path.substr(root.size() + 1);
}

std::optional<std::string> found_below_root(const EditPlace& place) {
  if (auto relative = below(place.found, place.root)) return relative;
  const std::string root = real_path(place.root);
  return root.empty() ? std::nullopt : below(place.found, root);
}

Result<SkillSite> site_at(const HeldSkills& skills, const std::string& name, const std::string& directory) {
  TRY(check_skill_directory(directory));
  const Result<UniqueFd> folder = open_folder_below(skills.root(), directory);
  if (!folder && folder.error().code() != ErrorCode::not_found) return folder.error();
  std::string file = folder ? skill_file_in(folder->get()) : "";
  if (file.empty()) return Error(ErrorCode::not_found, "skill " + quoted_line(name) + " is no longer in " + directory);
  return SkillSite{directory, std::move(file)};
}

}  // namespace

std::string skill_file_in(int folder) {
  for (const char* name : {"SKILL.md", "skill.md"}) {
    struct stat info {};
    if (::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode)) return name;
  }
  return "";
}

Result<SkillSite> find_skill_to_edit(const HeldSkills& skills, const std::string& name, const EditPlace& place) {
  if (const auto directory = found_below_root(place)) return site_at(skills, name, *directory);
  if (!place.found.empty())
    return Error(ErrorCode::denied, "skill " + quoted_line(name) + " is in " + shown_line(place.found) +
                                        ", which agents do not change; skill_manage with action create and the same "
                                        "name makes one in " +
                                        shown_line(place.root) + " that can be changed");
  const std::vector<std::string> found = folders_called(skills, name);
  if (found.size() == 1) return site_at(skills, name, found.front());
  if (found.size() > 1)
    return Error(ErrorCode::conflict,
                 "several skills are called " + quoted_line(name) + "; give its category too: " + join(found, ", "));
  return Error(ErrorCode::not_found, "there is no skill " + quoted_line(name) + " in " + shown_line(place.root) +
                                         "; skills_list shows those there are, action create makes a new one");
}

Result<> check_new_skill_place(const HeldSkills& skills, const std::string& name, const std::string& directory,
                               const EditPlace& place) {
  TRY(check_skill_directory(directory));
  std::vector<std::string> same = folders_called(skills, name);
  if (const auto known = found_below_root(place); known && site_at(skills, name, *known)) same.push_back(*known);
  if (!same.empty())
    return Error(ErrorCode::conflict, "there is a skill " + quoted_line(name) + " in " + same.front() +
                                          " already; change it with edit or patch");
  if (const Result<struct stat> there = look_below(skills.root(), directory))
    return Error(ErrorCode::conflict, directory + " is there already, and no skill; choose another name or category");
  else if (there.error().code() != ErrorCode::not_found) return there.error();
  for (std::string path = parent_path(directory); path != "."; path = parent_path(path)) {
    const Result<UniqueFd> folder = open_folder_below(skills.root(), path);
    if (folder && !skill_file_in(folder->get()).empty())
      return Error(ErrorCode::conflict, "category " + shown_line(path) + " is a skill itself; choose another");
  }
  return ok;
}

std::vector<std::string> skills_inside(const HeldSkills& skills, const std::string& directory) {
  std::vector<std::string> found;
  const Result<UniqueFd> folder = open_folder_below(skills.root(), directory);
  if (!folder) return found;
  visit_skills(folder->get(), directory, 0, [&](const std::string& path) {
    if (found.size() < most_inside) found.push_back(path);
  });
  return found;
}

}  // namespace talaria
