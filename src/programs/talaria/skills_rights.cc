// talaria skills trust and untrust: whose skills count as a person's own.
#include <filesystem>

#include "base/text.h"
#include "base/unseen.h"
#include "config/settings.h"
#include "os/file.h"
#include "skills/skill_adopt.h"
#include "skills/trusted_texts.h"
#include "talaria/found_skill.h"
#include "talaria/gateway.h"
#include "talaria/home_skill.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"
#include "talaria/skill_trust.h"
#include "talaria/skills.h"

namespace talaria {
namespace {

// Where a project has skills; and a folder that was named, which may be one of skills.external_dirs.
std::vector<std::string> folders_of(const std::string& project, const std::optional<std::string>& named) {
  std::vector<std::string> folders;
  for (const char* name : {"/.talaria/skills", "/.agents/skills", "/.claude/skills", "/.hermes/skills"}) {
    if (exists(project + name)) folders.push_back(project + name);
  }
  if (named && exists(*named)) folders.push_back(*named);
  return folders;
}

// An entry of that name may be there for whatever reason: a path is what looks like one.
bool looks_like_path(const std::string& word) {
  return word.find('/') != std::string::npos || word == "." || word == "..";
}

bool names_folder(const std::string& word) {
  std::error_code failed;
  return std::filesystem::is_directory(word, failed);
}

struct TrustedProject {
  TrustOutcome outcome;
  size_t skills = 0;
  bool is_read = true;  // false: skills.project_discovery is off
};

void tell_project(const TrustedProject& trusted, const SkillsOptions& options) {
  const std::string& project = trusted.outcome.project;
  if (options.json) {
    return print_json(JsonObject{{"project", project},
                                 {"changed", trusted.outcome.changed},
                                 {"skills", trusted.skills},
                                 {"project_discovery", trusted.is_read}});
  }
  std::string text = project + " is trusted, with " + with_commas(trusted.skills) +
                     (trusted.skills == 1 ? " skill as it is" : " skills as they are") +
                     " now. What changes there later counts as an agent's until you trust it again.";
  if (!trusted.is_read) {
    text +=
        " But skills.project_discovery is false, and while it is, no project's skills are read; to read them: talaria "
        "config set skills.project_discovery true";
  }
  print_line(shown_line(text));
}

int trust_path(const Home& home, const std::optional<std::string>& path, const SkillsOptions& options) {
  if (path) {
    if (const auto skill = home_skill_at(home, *path)) return trust_home_skill(home, *skill, options);
  }
  const Result<TrustOutcome> outcome = trust_project(home, path);
  if (!outcome) return fail(outcome.error());
  // Also when it was trusted before: it is what is there now that the person answers for.
  const Result<size_t> count = trust_texts(home.root + "/skills", folders_of(outcome->project, path));
  if (!count) return fail(count.error());
  const Result<Settings> settings = load_settings(home.config());
  tell_project({*outcome, *count, !settings || settings->skills.project_discovery}, options);
  return 0;
}

int untrust_path(const Home& home, const std::optional<std::string>& path, const SkillsOptions& options) {
  if (path) {
    if (const auto skill = home_skill_at(home, *path)) return untrust_home_skill(home, *skill, options);
  }
  Result<TrustOutcome> outcome = untrust_project(home, path);
  if (!outcome && (outcome.error().code() != ErrorCode::not_found || !path)) return fail(outcome.error());
  const std::string skills = home.root + "/skills";
  if (outcome) {
    if (const Result<size_t> gone = forget_texts(skills, outcome->project); !gone) return fail(gone.error());
  } else {
    // One skill may have been trusted by itself, without the project around it; the home may have a link to it.
    const std::string folder = real_or_given_path(*path);
    const Result<bool> gone = untrust_skill(skills, folder);
    if (!gone || !*gone) return fail(gone ? outcome.error() : gone.error());
    outcome = TrustOutcome{folder, true};
  }
  if (options.json) print_json(JsonObject{{"project", outcome->project}, {"changed", outcome->changed}});
  else print_line(shown_line(outcome->project + " is no longer trusted."));
  return 0;
}

// What comes with Talaria is whoever's Talaria is.
int tell_builtin(const FoundSkill& skill, const SkillsOptions& options) {
  if (options.json) {
    print_json(JsonObject{{"skill", skill.directory}, {"trust", "builtin"}, {"changed", false}});
  } else {
    print_line(shown_line(skill.name + " comes with Talaria; such skills are trusted already."));
  }
  return 0;
}

int refuse_elsewhere(const FoundSkill& skill, const SkillsOptions& options) {
  return fail(invalid("the skill " + shown_line(skill.name) + " is in " + shown_line(skill.directory) +
                      ", not in the home; name its folder: talaria skills " + options.action + " " +
                      shell_quote(skill.directory)));
}

// The skill of this name, as it is loaded: what a person saw under the name is what they trust.
int trust_by_name(const Home& home, const std::string& name, const SkillsOptions& options) {
  if (const Result<> allowed = refuse_inside_job("a skill cannot be trusted"); !allowed) return fail(allowed.error());
  const auto found = find_skills({name}, options);
  if (!found) return fail(found.error());
  const std::optional<FoundSkill>& skill = found->front();
  if (!skill && names_folder(name)) return trust_path(home, name, options);
  if (!skill) return trust_home_skill(home, {"", name}, options);  // says why there is none
  if (skill->source == "home") return trust_home_skill(home, {skill->directory, name}, options);
  return skill->source == "bundled" ? tell_builtin(*skill, options) : refuse_elsewhere(*skill, options);
}

// Without a gateway that finds skills, a name is a path.
int untrust_by_name(const Home& home, const std::string& name, const SkillsOptions& options) {
  const auto found = find_skills({name}, options);
  const std::optional<FoundSkill> skill = found ? found->front() : std::nullopt;
  if (skill && skill->source == "home") return untrust_home_skill(home, {skill->directory, name}, options);
  if (!skill || names_folder(name)) return untrust_path(home, name, options);
  if (skill->source != "bundled") return refuse_elsewhere(*skill, options);
  return fail(invalid("the skill " + skill->name + " comes with Talaria, and such skills are always trusted; talaria " +
                      "skills disable " + shell_quote(skill->name) + " turns it off"));
}

}  // namespace

int trust_skills(const SkillsOptions& options) {
  const Result<Home> home = find_home();
  if (!home) return fail(home.error());
  if (options.words.empty()) return trust_path(*home, std::nullopt, options);
  const std::string& word = options.words.front();
  return looks_like_path(word) ? trust_path(*home, word, options) : trust_by_name(*home, word, options);
}

int untrust_skills(const SkillsOptions& options) {
  const Result<Home> home = find_home();
  if (!home) return fail(home.error());
  if (options.words.empty()) return untrust_path(*home, std::nullopt, options);
  const std::string& word = options.words.front();
  return looks_like_path(word) ? untrust_path(*home, word, options) : untrust_by_name(*home, word, options);
}

}  // namespace talaria
