#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "skills/credential_files.h"
#include "skills/skill_card.h"

namespace talaria {

// Whether a variable has a value that is not empty. The value itself never comes here.
using IsSet = std::function<bool(const std::string& name)>;

// In .env if it names the variable, else in the client's environment.
bool is_variable_set(const std::string& name, const std::map<std::string, std::string>& dotenv,
                     const std::map<std::string, std::string>& environment);

struct EnvironmentState {
  std::vector<EnvironmentNeed> present;
  std::vector<EnvironmentNeed> missing;
  bool operator==(const EnvironmentState&) const = default;
};
// Without what is never passed to a skill's commands: nobody needs to set it.
EnvironmentState environment_state(const SkillCard& card, const IsSet& is_set);

// The skill's programs that no folder of `path` (a PATH) has.
std::vector<std::string> missing_commands(const SkillCard& card, std::string_view path);

// What a skill needs, and how that stands.
struct Requirements {
  EnvironmentState environment;
  CredentialState credentials;
  std::string credential_folder;  // where those files are looked for
  std::vector<std::string> missing_commands;

  // Variables or files are missing. Programs do not count: they may be elsewhere than here, as in a sandbox.
  bool setup_needed() const;
};

// "Setup needed before using this skill: missing env $A, file /home/me/.talaria/x.json. …" with all the help there is,
// then the programs that were not found. Empty when nothing is missing.
std::string setup_note(const Requirements& requirements);

// What a hint on setting variables has to say.
struct SetupWay {
  enum class Asked { nobody, person_skipped };
  std::string skill_slug;
  std::string dotenv_path;
  std::string dotenv_trouble;  // why that file does not count, and what to do; empty: it does
  Asked asked = Asked::nobody;
};

// How to set what is missing, for someone who is not at the machine's terminal, or who was asked there and left it.
// Empty when no variable is missing.
std::string local_setup_hint(const Requirements& requirements, const SetupWay& way);

}  // namespace talaria
