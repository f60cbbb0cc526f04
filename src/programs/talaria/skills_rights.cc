// talaria skills trust, untrust, enable and disable: what a person decides about skills.
#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "os/file.h"
#include "skills/skill_adopt.h"
#include "skills/trusted_texts.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/skill_switch.h"
#include "talaria/skill_trust.h"
#include "talaria/skills.h"

namespace talaria {
namespace {

int tell_project(const Result<TrustOutcome>& outcome, const SkillsOptions& options) {
  if (!outcome) return fail(outcome.error());
  if (options.json) print_json(JsonObject{{"project", outcome->project}, {"changed", outcome->changed}});
  else print_line(outcome->project + " is no longer trusted.");
  return 0;
}

// Where a project has skills; and a folder that was named, which may be one of skills.external_dirs.
std::vector<std::string> folders_of(const std::string& project, const std::optional<std::string>& named) {
  std::vector<std::string> folders;
  for (const char* name : {"/.talaria/skills", "/.agents/skills", "/.claude/skills", "/.hermes/skills"}) {
    if (exists(project + name)) folders.push_back(project + name);
  }
  if (named && exists(*named)) folders.push_back(*named);
  return folders;
}

// The skill of this name, as it is loaded: what a person saw under the name is what they trust.
int trust_by_name(const Home& home, const std::string& name, const SkillsOptions& options) {
  if (std::getenv("TALARIA_JOB")) return fail(Error(ErrorCode::denied, "a skill cannot be trusted from inside a job"));
  const Result<JsonObject> answer = ask_skills("skills/view", {{"name", name}}, options);
  if (!answer) return fail(answer.error());
  const JsonObject& details = details_of(*answer);
  if (details.contains("error")) return fail(Error(ErrorCode::not_found, text_or(details, "error")));
  const std::string folder = text_or(details, "skill_dir");
  if (text_or(details, "source") != "home") {
    return fail(invalid("the skill " + name + " is in " + folder + ", not in the home; trust it by its path: talaria " +
                        "skills trust " + shell_quote(folder)));
  }
  if (const Result<> trusted = trust_skill(home.root + "/skills", folder); !trusted) return fail(trusted.error());
  std::vector<std::string> has;
  for (const Json& need : details.at("required_environment_variables").get_array()) {
    has.push_back("$" + text_or(need.get_object(), "name"));
  }
  if (options.json) print_json(JsonObject{{"skill", folder}, {"variables", JsonArray(has.begin(), has.end())}});
  else
    print_line(for_terminal(folder + " is trusted now, as if you had put it there yourself." +
                            (has.empty() ? "" : " Its sessions are given " + join(has, ", ") + ".")));
  return 0;
}

// Those no skill has. None when the gateway cannot tell: the switch is in the configuration either way.
std::vector<std::string> unknown_among(const std::vector<std::string>& names, const SkillsOptions& options) {
  const Result<JsonObject> answer = ask_skills("skills/list", {{"all", true}}, options);
  if (!answer || !answer->contains("skills")) return {};
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const bool known = std::ranges::any_of(answer->at("skills").get_array(), [&](const Json& skill) {
      return same_skill(text_or(skill.get_object(), "name"), name);
    });
    if (!known) unknown.push_back(name);
  }
  return unknown;
}

int tell_switch(const Result<SwitchOutcome>& outcome, const std::string& now, const SkillsOptions& options) {
  if (!outcome) return fail(outcome.error());
  const std::vector<std::string> unknown = unknown_among(options.words, options);
  const auto list = [](const std::vector<std::string>& names) { return JsonArray(names.begin(), names.end()); };
  if (options.json) {
    print_json(JsonObject{{"changed", list(outcome->changed)},
                          {"unchanged", list(outcome->unchanged)},
                          {"unknown", list(unknown)}});
    return 0;
  }
  for (const std::string& name : unknown) {
    remark("There is no skill " + for_terminal(name) + " here now; talaria skills list --all shows those there are.");
  }
  for (const std::string& name : outcome->changed) print_line(for_terminal(name) + " is " + now + " now.");
  for (const std::string& name : outcome->unchanged) print_line(for_terminal(name) + " was " + now + " already.");
  return 0;
}

}  // namespace

int trust_skills(const SkillsOptions& options) {
  const Result<Home> home = find_home();
  if (!home) return fail(home.error());
  std::optional<std::string> word;
  if (!options.words.empty()) word = options.words.front();
  // An entry of that name may be there for whatever reason: a path is what looks like one.
  const bool is_path = !word || word->find('/') != std::string::npos || *word == "." || *word == "..";
  if (!is_path) return trust_by_name(*home, *word, options);
  const Result<TrustOutcome> outcome = trust_project(*home, word);
  if (!outcome) return fail(outcome.error());
  // Also when it was trusted before: it is what is there now that the person answers for.
  const Result<size_t> count = trust_texts(home->root + "/skills", folders_of(outcome->project, word));
  if (!count) return fail(count.error());
  const std::string skills = with_commas(*count) + (*count == 1 ? " skill" : " skills");
  if (options.json) {
    print_json(JsonObject{{"project", outcome->project}, {"changed", outcome->changed}, {"skills", *count}});
  } else {
    print_line(outcome->project + " is trusted, with " + skills +
               " as they are now. What changes in them later counts " + "as an agent's until you trust it again.");
  }
  return 0;
}

int untrust_skills(const SkillsOptions& options) {
  const Result<Home> home = find_home();
  if (!home) return fail(home.error());
  std::optional<std::string> word;
  if (!options.words.empty()) word = options.words.front();
  const Result<TrustOutcome> outcome = untrust_project(*home, word);
  if (outcome) {
    if (Result<> gone = forget_texts(home->root + "/skills", outcome->project); !gone) return fail(gone.error());
  }
  return tell_project(outcome, options);
}

int switch_on(const SkillsOptions& options) {
  const Result<Home> home = find_home();
  return home ? tell_switch(enable_skills(*home, options.words), "enabled", options) : fail(home.error());
}

int switch_off(const SkillsOptions& options) {
  const Result<Home> home = find_home();
  return home ? tell_switch(disable_skills(*home, options.words), "disabled", options) : fail(home.error());
}

}  // namespace talaria
