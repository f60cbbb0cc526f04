// talaria skills list, prompt and config: what there is.
#include "base/text.h"
#include "base/unseen.h"
#include "talaria/print.h"
#include "talaria/skills.h"
#include "talaria/table.h"

namespace talaria {
namespace {

void remark_diagnostics(const JsonObject& answer) {
  const Json* list = answer.if_contains("diagnostics");
  if (!list || !list->is_array()) return;
  for (const Json& item : list->get_array()) {
    const JsonObject& one = item.get_object();
    std::string where = text_or(one, "path");
    const int64_t line = integer_or(one, "line", 0);
    if (!where.empty() && line > 0) where += ":" + std::to_string(line);
    remark(shown_line((where.empty() ? "" : where + ": ") + text_or(one, "message")));
  }
}

std::string state_of(const JsonObject& skill) {
  const std::string hidden = text_or(skill, "hidden_because");
  if (!hidden.empty()) return "hidden: " + hidden;
  if (!boolean_or(skill, "for_agents", true)) return "for you only";
  return boolean_or(skill, "setup_needed") ? "needs set-up" : "";
}

}  // namespace

int list_skills(const SkillsOptions& options) {
  JsonObject params{{"all", options.all}};
  set_if(params, "category", options.category);
  const Result<JsonObject> answer = ask_skills("skills/list", std::move(params), options);
  if (!answer) return fail(answer.error());
  if (options.json) {
    print_json(*answer);
    return 0;
  }
  const JsonArray& skills = answer->at("skills").get_array();
  Table table(options.all ? std::vector<std::string>{"SKILL", "CATEGORY", "FROM", "TRUST", "STATE", "DESCRIPTION"}
                          : std::vector<std::string>{"SKILL", "CATEGORY", "FROM", "STATE", "DESCRIPTION"});
  for (const Json& item : skills) {
    const JsonObject& skill = item.get_object();
    std::vector<std::string> row = {for_terminal(text_or(skill, "name")), for_terminal(text_or(skill, "category")),
                                    text_or(skill, "source")};
    if (options.all) row.push_back(text_or(skill, "trust"));
    row.push_back(for_terminal(state_of(skill)));
    row.push_back(for_terminal(text_or(skill, "description")));
    table.add(std::move(row));
  }
  table.wrap_last_column();
  if (!skills.empty()) table.print_out();
  else remark(text_or(*answer, "message"));
  remark_diagnostics(*answer);
  return 0;
}

int show_prompt(const SkillsOptions& options) {
  JsonObject params;
  set_if(params, "budget", options.budget);
  const Result<JsonObject> answer = ask_skills("skills/prompt", std::move(params), options);
  if (!answer) return fail(answer.error());
  if (options.json) print_json(*answer);
  else if (const std::string prompt = text_or(*answer, "prompt"); !prompt.empty()) print_line(for_terminal(prompt));
  else remark("The prompt says nothing about skills: " + text_or(*answer, "empty_because", "there is none") + ".");
  return 0;
}

int show_skill_settings(const SkillsOptions& options) {
  JsonObject params;
  if (!options.words.empty()) params["name"] = options.words.front();
  const Result<JsonObject> answer = ask_skills("skills/settings", std::move(params), options);
  if (!answer) return fail(answer.error());
  if (options.json) {
    print_json(*answer);
    return 0;
  }
  const JsonArray& settings = answer->at("settings").get_array();
  Table table({"KEY", "VALUE", "DEFAULT", "SKILL", "MEANING"});
  for (const Json& item : settings) {
    const JsonObject& one = item.get_object();
    const Json* value = one.if_contains("value");
    const std::string shown = value && value->is_string() ? text_or(one, "value") : "(not set)";
    table.add({text_or(one, "key"), for_terminal(shown), for_terminal(text_or(one, "default")),
               for_terminal(text_or(one, "skill")), for_terminal(text_or(one, "description"))});
  }
  table.wrap_last_column();
  if (!settings.empty()) table.print_out();
  else remark("No skill here has settings.");
  if (!settings.empty()) remark("Change one: talaria config set skills.config.KEY VALUE");
  return 0;
}

}  // namespace talaria
