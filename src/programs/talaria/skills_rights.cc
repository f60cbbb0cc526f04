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

// What the sessions that load a skill get by its being trusted.
struct SkillGains {
  std::vector<std::string> variables;  // "$NAME"
  std::vector<std::string> files;      // that they can read
};

SkillGains gains_of(const JsonObject& details, const Home& home) {
  SkillGains gains;
  for (const Json& need : details.at("required_environment_variables").get_array()) {
    gains.variables.push_back("$" + text_or(need.get_object(), "name"));
  }
  const auto add_files = [&](const char* list, const std::string& before) {
    const Json* paths = details.if_contains(list);
    if (!paths || !paths->is_array()) return;
    for (const Json& path : paths->get_array()) gains.files.push_back(before + std::string(path.get_string()));
  };
  add_files("required_credential_files", home.root + "/");
  add_files("configured_paths", "");
  return gains;
}

int tell_trusted(const std::string& folder, const SkillGains& gains, const SkillsOptions& options) {
  const auto list = [](const std::vector<std::string>& texts) { return JsonArray(texts.begin(), texts.end()); };
  if (options.json) {
    print_json(JsonObject{{"skill", folder}, {"variables", list(gains.variables)}, {"files", list(gains.files)}});
    return 0;
  }
  std::string text = folder + " is trusted now, as if you had put it there yourself.";
  if (!gains.variables.empty()) text += " Its sessions are given " + join(gains.variables, ", ") + ".";
  if (!gains.files.empty()) text += " Their commands can read " + join(gains.files, ", ") + ".";
  print_line(for_terminal(text));
  return 0;
}

// In the home it is known where a skill came from. A link may lead to where agents write: there it is the text that the
// person answers for.
Result<> trust_home_skill(const Home& home, const std::string& folder) {
  const std::string skills = home.root + "/skills";
  const bool inside = folder.starts_with(real_or_given_path(skills) + "/");
  if (inside) TRY(trust_skill(skills, folder));
  if (!folder.starts_with(real_or_given_path(home.root) + "/")) TRY(trust_texts(skills, {folder}));
  return ok;
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
  if (const Result<> trusted = trust_home_skill(home, folder); !trusted) return fail(trusted.error());
  return tell_trusted(folder, gains_of(details, home), options);
}

// Those no skill has. None when the gateway cannot tell: the switch is in the configuration either way.
std::vector<std::string> unknown_among(const std::vector<std::string>& names, const SkillsOptions& options) {
  const Result<JsonObject> answer = ask_skills("skills/list", {{"all", true}}, options);
  if (!answer || !answer->contains("skills")) return {};
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const bool known = std::ranges::any_of(answer->at("skills").get_array(), [&](const Json& skill) {
      return same_skill(text_or(skill.get_object(), "name"), name) ||
             same_skill(text_or(skill.get_object(), "slug"), name);
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
    print_json(JsonObject{
        {"changed", list(outcome->changed)}, {"unchanged", list(outcome->unchanged)}, {"unknown", list(unknown)}});
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
  Result<TrustOutcome> outcome = untrust_project(*home, word);
  if (!outcome && (outcome.error().code() != ErrorCode::not_found || !word)) return fail(outcome.error());
  // One skill may have been trusted by itself, without the project around it.
  const std::string folder = outcome ? outcome->project : real_or_given_path(*word);
  const Result<size_t> gone = forget_texts(home->root + "/skills", folder);
  if (!gone) return fail(gone.error());
  if (!outcome && *gone > 0) outcome = TrustOutcome{folder, true};
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
