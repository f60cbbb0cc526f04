#pragma once
// The actions of `talaria skills`, one or a few in a file.
#include <optional>
#include <string>
#include <vector>

#include "json/json.h"

namespace talaria {

struct SkillsOptions {
  std::string action;
  std::vector<std::string> words;  // names or paths; of run also what is said with it
  std::optional<std::string> category, file, directory, description, session;
  std::optional<int64_t> entry, budget;
  bool all = false;
  bool no_input = false;  // ask for nothing
  bool json = false;
};

// One request about skills, in the session of this directory.
Result<JsonObject> ask_skills(const std::string& method, JsonObject params, const SkillsOptions& options);

// Where the skills of the home are.
Result<std::string> skills_folder();
// What a person does with skills, an agent in a job does not: says so, and gives the exit code.
int refuse_in_job();

int list_skills(const SkillsOptions& options);
int show_prompt(const SkillsOptions& options);
int show_skill_settings(const SkillsOptions& options);
int view_skill(const SkillsOptions& options);
int run_skill(const SkillsOptions& options);

// Those below need no gateway: they work on files.
int check_paths(const SkillsOptions& options);
int make_new_skill(const SkillsOptions& options);
int trust_skills(const SkillsOptions& options);
int untrust_skills(const SkillsOptions& options);
int switch_on(const SkillsOptions& options);
int switch_off(const SkillsOptions& options);
int show_history(const SkillsOptions& options);
int undo_change(const SkillsOptions& options);

}  // namespace talaria
