#include "talaria/home_skill.h"

#include <filesystem>

#include "base/text.h"
#include "base/unseen.h"
#include "os/file.h"
#include "skills/skill_adopt.h"
#include "talaria/gateway.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"

namespace talaria {
namespace {

// What the sessions that load a skill get by its being trusted.
struct SkillGains {
  std::vector<std::string> variables;  // "$NAME"
  std::vector<std::string> files;      // that they can read
  bool empty() const { return variables.empty() && files.empty(); }
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

// What skill_view says of it, as it is now.
Result<JsonObject> view_home_skill(const HomeSkill& skill, const SkillsOptions& options) {
  const JsonObject answer = TRY(ask_skills("skills/view", {{"name", skill.name}}, options));
  JsonObject details = details_of(answer);
  if (details.contains("error")) return Error(ErrorCode::not_found, text_or(details, "error"));
  const std::string found = text_or(details, "skill_dir");
  if (found == real_or_given_path(skill.folder)) return details;
  return Error(ErrorCode::conflict, "the skill in " + shown_line(skill.folder) + " is not loaded: the name " +
                                        shown_line(skill.name) + " is that of the one in " + shown_line(found) +
                                        "; rename one of them");
}

JsonObject gains_json(const SkillGains& gains) {
  const auto list = [](const std::vector<std::string>& texts) { return JsonArray(texts.begin(), texts.end()); };
  return {{"variables", list(gains.variables)}, {"files", list(gains.files)}};
}

void tell_trusted(const std::string& folder, const SkillGains& gains, const SkillsOptions& options) {
  if (options.json) {
    JsonObject answer = gains_json(gains);
    answer["skill"] = folder;
    return print_json(answer);
  }
  std::string text = folder + " is trusted now, as if you had put it there yourself.";
  if (!gains.variables.empty()) text += " Its sessions are given " + join(gains.variables, ", ") + ".";
  if (!gains.files.empty()) text += " Their commands can read " + join(gains.files, ", ") + ".";
  print_line(shown_line(text));
}

// `trust`: what it has now; empty when nobody can tell.
void tell_untrusted(const std::string& folder, const std::string& trust, const SkillGains& gains,
                    const SkillsOptions& options) {
  if (options.json) {
    JsonObject answer = gains_json(gains);
    answer["skill"] = folder;
    answer["trust"] = trust.empty() ? Json() : Json(trust);
    return print_json(answer);
  }
  std::string text = folder + " is no longer trusted";
  text += trust.empty() ? "." : ": it counts as " + trust + " again.";
  if (!gains.variables.empty()) text += " Its sessions are no longer given " + join(gains.variables, ", ") + ".";
  if (!gains.files.empty()) text += " Their commands can no longer read " + join(gains.files, ", ") + ".";
  if (!gains.empty()) text += " Programs that already run keep what they have.";
  print_line(shown_line(text));
}

}  // namespace

std::optional<HomeSkill> home_skill_at(const Home& home, const std::string& path) {
  const std::string skills = home.root + "/skills", real_skills = real_or_given_path(skills);
  std::error_code failed;
  std::string named = std::filesystem::absolute(path, failed).lexically_normal().string();
  if (named.size() > 1 && named.ends_with('/')) named.pop_back();
  for (const std::string& folder : {named, real_path(path)}) {
    for (const std::string& above : {skills, real_skills}) {
      if (folder.starts_with(above + "/")) return HomeSkill{folder, folder.substr(above.size() + 1)};
    }
  }
  return std::nullopt;
}

int trust_home_skill(const Home& home, const HomeSkill& skill, const SkillsOptions& options) {
  if (const Result<> allowed = refuse_inside_job("a skill cannot be trusted"); !allowed) return fail(allowed.error());
  const Result<JsonObject> details = view_home_skill(skill, options);
  if (!details) return fail(details.error());
  if (const Result<> trusted = trust_skill(home.root + "/skills", skill.folder); !trusted) return fail(trusted.error());
  tell_trusted(text_or(*details, "skill_dir"), gains_of(*details, home), options);
  return 0;
}

int untrust_home_skill(const Home& home, const HomeSkill& skill, const SkillsOptions& options) {
  const Result<> allowed = refuse_inside_job("the trust in a skill cannot be changed");
  if (!allowed) return fail(allowed.error());
  const Result<bool> untrusted = untrust_skill(home.root + "/skills", skill.folder);
  if (!untrusted) return fail(untrusted.error());
  if (!*untrusted) {
    return fail(Error(ErrorCode::not_found, "the skill in " + shown_line(skill.folder) +
                                                " was not trusted by talaria skills trust, so there is nothing to take "
                                                "back; talaria skills disable " +
                                                shell_quote(skill.name) + " turns it off"));
  }
  // Only now is it looked at: while it was trusted, its inline shell would have run.
  const Result<JsonObject> details = view_home_skill(skill, options);
  tell_untrusted(real_or_given_path(skill.folder), details ? text_or(*details, "trust") : "",
                 details ? gains_of(*details, home) : SkillGains(), options);
  return 0;
}

}  // namespace talaria
