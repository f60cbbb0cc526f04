#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "skills/diagnostic.h"
#include "skills/skill_history.h"

namespace talaria {

enum class SkillAction { create, edit, patch, remove, write_file, remove_file };
std::string_view name_of(SkillAction action);  // "delete" for remove

// What skill_manage is asked for.
struct SkillEdit {
  SkillAction action = SkillAction::create;
  std::string name = {};
  std::string category = {};      // create
  std::string content = {};       // create, edit: the whole SKILL.md
  std::string file_path = {};     // write_file, remove_file; of patch empty for SKILL.md
  std::string file_content = {};  // write_file
  std::string old_string = {};    // patch
  std::string new_string = {};
  bool replace_all = false;
};

// skill_manage's parameters; each error names its own.
Result<SkillEdit> read_skill_edit(const JsonObject& arguments);

// Where skills are changed, by whom, and what the name stands for now.
struct EditPlace {
  std::string root;   // $TALARIA_HOME/skills
  std::string who;    // such as "session 4f7k2m9p"
  std::string found;  // the folder of the skill that the name leads to, absolute; empty: none is known
};

// What was done.
struct EditedSkill {
  std::string message;
  std::string directory;  // absolute
  std::string file;       // relative to it; empty: the whole
  uint64_t change = 0;    // its number in the history; 0: nothing was to be changed
  size_t replacements = 0;
  std::string strategy;  // how a patch found its place
  std::vector<SkillDiagnostic> diagnostics;
};

// Changes a skill below root, whole or not at all, keeps what it was before, and notes that an agent has written it. A
// skill that is elsewhere is refused.
Result<EditedSkill> edit_skill(const SkillEdit& edit, const EditPlace& place);

// The answer to skill_manage.
JsonObject skill_edit_json(const std::string& name, const Result<EditedSkill>& edited);

}  // namespace talaria
