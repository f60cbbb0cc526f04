// talaria skills view and run: loading one, with its set-up.
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"
#include "config/dotenv.h"
#include "config/wipe.h"
#include "talaria/config_skills.h"
#include "talaria/gateway.h"
#include "talaria/hidden_input.h"
#include "talaria/print.h"
#include "talaria/skills.h"

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
         !std::getenv("TALARIA_JOB");
}

std::string question_for(const JsonObject& need) {
  const std::string help = text_or(need, "help"), required_for = text_or(need, "required_for");
  std::string question;
  if (!required_for.empty()) question += "  needed for " + required_for + "\n";
  if (!help.empty()) question += "  " + help + "\n";
  return for_terminal(question + text_or(need, "prompt", text_or(need, "name")) + " (Enter skips): ");
}

// Asks for each variable that is missing; true when one was given.
Result<bool> ask_for_missing(const JsonObject& details) {
  const Home home = TRY(find_home());
  const Json* missing = details.if_contains("missing_required_environment_variables");
  const Json* needs = details.if_contains("required_environment_variables");
  if (!missing || !missing->is_array() || !needs || !needs->is_array()) return false;
  if (missing->get_array().empty()) return false;
  if (const std::string command = text_or(details, "trust_command"); !command.empty()) {
    remark("The skill " + for_terminal(text_or(details, "name")) + " wants variables to be set, but " +
           why_not_asked(text_or(details, "trust"), command));
    return false;
  }
  bool given = false;
  for (const Json& item : needs->get_array()) {
    const JsonObject& need = item.get_object();
    const std::string name = text_or(need, "name");
    const JsonArray& names = missing->get_array();
    if (std::find(names.begin(), names.end(), Json(name)) == names.end()) continue;
    remark("The skill " + for_terminal(text_or(details, "name")) + " (" + for_terminal(text_or(details, "skill_dir")) +
           ") needs " + name + ".");
    std::optional<std::string> value = TRY(ask_hidden(question_for(need)));
    if (!value || value->empty()) {
      remark("Skipped. Set it later: talaria env set " + name);
      continue;
    }
    const Result<> stored = set_dotenv(home.root + "/.env", name, *value);
    wipe(*value);
    if (!stored) return stored.error();
    remark("Stored in " + home.root + "/.env.");
    given = true;
  }
  return given;
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
  else print_line(for_terminal(loaded->text));
  return failed ? 1 : 0;
}

int load_and_show(const std::string& method, const JsonObject& params, const SkillsOptions& options) {
  Result<Loaded> loaded = load(method, params, options);
  if (loaded && can_ask(options)) {
    const Result<bool> given = ask_for_missing(loaded->details);
    if (!given) return fail(given.error());
    if (*given) loaded = load(method, params, options);
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
