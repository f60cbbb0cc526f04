#pragma once
// For tests: a folder of skills to change.
#include <map>
#include <string>
#include <vector>

#include "json/json.h"
#include "skills/load_trial.h"
#include "skills/skill_edit.h"

namespace talaria {

// The whole of a SKILL.md.
inline std::string skill_text(const std::string& name, const std::string& body = "Do it.\n") {
  return "---\nname: " + name + "\ndescription: What it is for.\n---\n" + body;
}

class EditTrial {
 public:
  std::string root() const { return trial.path("skills"); }
  EditPlace place() const { return {root(), "session 4f7k2m9p", ""}; }

  Result<EditedSkill> edit(const SkillEdit& edit) const { return edit_skill(edit, place()); }
  Result<EditedSkill> create(const std::string& name, const std::string& category = "") const {
    return edit({.action = SkillAction::create, .name = name, .category = category, .content = skill_text(name)});
  }
  Result<EditedSkill> rewrite(const std::string& name, const std::string& body) const {
    return edit({.action = SkillAction::edit, .name = name, .content = skill_text(name, body)});
  }
  Result<EditedSkill> write(const std::string& name, const std::string& path, const std::string& text) const {
    return edit({.action = SkillAction::write_file, .name = name, .file_path = path, .file_content = text});
  }
  Result<EditedSkill> remove_file(const std::string& name, const std::string& path) const {
    return edit({.action = SkillAction::remove_file, .name = name, .file_path = path});
  }
  Result<EditedSkill> remove(const std::string& name) const {
    return edit({.action = SkillAction::remove, .name = name});
  }

  // Every file and link below, without our own, with its content: all that a skill's reader can see.
  std::map<std::string, std::string> seen(const std::string& below = "skills") const {
    std::map<std::string, std::string> seen;
    look(below, "", seen);
    return seen;
  }
  // The trust that origins.json has for a folder; "local" without an entry.
  std::string trust(const std::string& directory) const {
    const Result<JsonObject> origins = parse_json_object(trial.content("skills/.talaria/origins.json"));
    const JsonObject* entry = origins ? object_or_null(*origins, directory) : nullptr;
    return entry ? text_or(*entry, "trust") : "local";
  }

  LoadTrial trial;

 private:
  void look(const std::string& folder, const std::string& shown, std::map<std::string, std::string>& seen) const {
    const Result<std::vector<std::string>> names = list_directory(trial.path(folder));
    if (!names) return;
    for (const std::string& name : *names) {
      struct stat info {};
      CHECK(::lstat(trial.path(folder + "/" + name).c_str(), &info) == 0);
      if (name == ".talaria") continue;
      if (S_ISDIR(info.st_mode)) look(folder + "/" + name, shown + name + "/", seen);
      else seen[shown + name] = S_ISLNK(info.st_mode) ? "(link)" : trial.content(folder + "/" + name);
    }
  }
};

inline std::string error_text_of(const Result<EditedSkill>& edited) { return edited ? "" : edited.error().message(); }

}  // namespace talaria
