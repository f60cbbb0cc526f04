// talaria skills view and run: loading one, with its set-up.
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "config/dotenv.h"
#include "config/wipe.h"
#include "talaria/config_skills.h"
#include "talaria/gateway.h"
#include "talaria/hidden_input.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"
#include "talaria/skills.h"
#include "talaria/skills_about.h"

namespace talaria {
namespace {

struct Loaded {
  std::string text;
  JsonObject details;
};

Result<Loaded> load(const std::string& method, const JsonObject& params, const SkillsOptions& options) {
  JsonObject answer = TRY(ask_skills(method, params, options));
  const JsonObject* details = object_or_null(answer, "details");
  return Loaded{text_or(answer, "text"), details ? *details : JsonObject()};
}

// Whether somebody sits here who can be asked.
bool can_ask(const SkillsOptions& options) {
  return !options.no_input && !options.json && is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO) &&
         can_ask_hidden() && !inside_job();
}

std::string question_for(const JsonObject& need) {
  const std::string help = text_or(need, "help"), required_for = text_or(need, "required_for");
  std::string question;
  if (!required_for.empty()) question += "  needed for " + required_for + "\n";
  if (!help.empty()) question += "  " + help + "\n";
  return for_terminal(question + text_or(need, "prompt", text_or(need, "name")) + " (Enter skips): ");
}

// What the skill declares of the variables that are missing.
std::vector<JsonObject> missing_needs(const JsonObject& details) {
  std::vector<JsonObject> found;
  const Json* missing = details.if_contains("missing_required_environment_variables");
  const Json* needs = details.if_contains("required_environment_variables");
  if (!missing || !missing->is_array() || !needs || !needs->is_array()) return found;
  const JsonArray& names = missing->get_array();
  for (const Json& item : needs->get_array()) {
    const JsonObject& need = item.get_object();
    if (std::find(names.begin(), names.end(), Json(text_or(need, "name"))) != names.end()) found.push_back(need);
  }
  return found;
}

// What came of the questions.
struct Answers {
  bool given = false;
  bool left = false;
};

// Asks for one variable and stores it in `file`; false when the person skips it.
Result<bool> ask_for(const JsonObject& need, const JsonObject& details, const std::string& file) {
  const std::string name = text_or(need, "name");
  remark("The skill " + for_terminal(text_or(details, "name")) + " (" + for_terminal(text_or(details, "skill_dir")) +
         ") needs " + name + ".");
  std::optional<std::string> value = TRY(ask_hidden(question_for(need)));
  if (!value || value->empty()) {
    remark("Skipped. Set it later: talaria env set " + name);
    return false;
  }
  const Result<> stored = set_dotenv(file, name, *value);
  wipe(*value);
  if (!stored) return stored.error();
  remark("Stored in " + file + ".");
  return true;
}

// Asks for each variable that is missing. What goes wrong is said and stops the questions, never the load.
Answers ask_for_missing(const JsonObject& details) {
  Answers answers;
  const std::vector<JsonObject> needs = missing_needs(details);
  if (needs.empty()) return answers;
  if (const std::string command = text_or(details, "trust_command"); !command.empty()) {
    remark("The skill " + for_terminal(text_or(details, "name")) + " wants variables to be set, but " +
           why_not_asked(text_or(details, "trust"), command));
    return answers;
  }
  const Result<Home> home = find_home();
  const std::string file = home ? home->root + "/.env" : "";
  if (const Result<> usable = home ? check_dotenv(file) : Result<>(home.error()); !usable) {
    remark("The skill " + for_terminal(text_or(details, "name")) +
           " wants variables to be set, but nothing is asked for, because it could not be stored: " +
           usable.error().message());
    return answers;
  }
  for (const JsonObject& need : needs) {
    const Result<bool> given = ask_for(need, details, file);
    if (!given) complain(given.error().message());
    (given && *given ? answers.given : answers.left) = true;
    if (!given) break;
  }
  return answers;
}

// As a person reads it. What a chat would send is printed as it is.
std::string text_for_person(const Loaded& loaded, const SkillsOptions& options) {
  const std::string about = options.action == "run" ? "" : about_skill(loaded.details);
  return about.empty() ? loaded.text : loaded.text + "\n\n" + about;
}

int show(const Result<Loaded>& loaded, const SkillsOptions& options) {
  if (!loaded) return fail(loaded.error());
  const bool failed = loaded->details.contains("error");
  if (options.json) {
    JsonObject answer = loaded->details;
    if (options.action == "run" && !failed) answer["message"] = loaded->text;
    print_json(answer);
    return failed ? 1 : 0;
  }
  if (failed) complain(for_terminal(loaded->text));
  else print_line(for_terminal(text_for_person(*loaded, options)));
  return failed ? 1 : 0;
}

int load_and_show(const std::string& method, JsonObject params, const SkillsOptions& options) {
  Result<Loaded> loaded = load(method, params, options);
  if (loaded && can_ask(options)) {
    const Answers answers = ask_for_missing(loaded->details);
    if (answers.left) params["setup_skipped"] = true;
    if (answers.left || answers.given) loaded = load(method, params, options);
  }
  return show(loaded, options);
}

}  // namespace

int view_skill(const SkillsOptions& options) {
  JsonObject params{{"name", options.words.front()}};
  set_if(params, "file_path", options.file);
  return load_and_show("skills/view", params, options);
}

int run_skill(const SkillsOptions& options) {
  const std::vector<std::string> said(options.words.begin() + 1, options.words.end());
  return load_and_show("skills/message", {{"name", options.words.front()}, {"text", join(said, " ")}}, options);
}

}  // namespace talaria
