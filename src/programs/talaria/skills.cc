#include "talaria/skills.h"

#include <array>

#include "base/text.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/own_variables.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct Action {
  std::string_view name;
  int (*run)(const SkillsOptions& options);
  size_t least;  // words it needs
  size_t most;
  const char* needs;  // what those are
};

constexpr size_t any = 10'000;

constexpr std::array actions = {
    Action{"list", list_skills, 0, 0, ""},
    Action{"view", view_skill, 1, 1, "the name of a skill"},
    Action{"run", run_skill, 1, any, "the name of a skill, and after -- what to say with it"},
    Action{"prompt", show_prompt, 0, 0, ""},
    Action{"config", show_skill_settings, 0, 1, "at most the name of a skill"},
    Action{"check", check_paths, 1, any, "files or folders"},
    Action{"new", make_new_skill, 1, 1, "a name"},
    Action{"trust", trust_skills, 0, 1, "at most one project or skill"},
    Action{"untrust", untrust_skills, 0, 1, "at most one project"},
    Action{"enable", switch_on, 1, any, "names of skills"},
    Action{"disable", switch_off, 1, any, "names of skills"},
    Action{"history", show_history, 1, 1, "the name of a skill"},
    Action{"undo", undo_change, 1, 1, "the name of a skill"},
};

int run(const SkillsOptions& options) {
  std::vector<std::string> names;
  for (const Action& action : actions) {
    names.emplace_back(action.name);
    if (action.name != options.action) continue;
    const size_t count = options.words.size();
    if (count >= action.least && count <= action.most) return action.run(options);
    const std::string wanted = action.most == 0 ? "no further words" : action.needs;
    return usage_error("skills", options.action + " takes " + wanted);
  }
  return usage_error("skills", "unknown action " + options.action + "; known: " + join(names, ", "));
}

Run declare_skills(CommandLine& line) {
  auto options = std::make_shared<SkillsOptions>();
  line.required("ACTION", options->action,
                "list, view, run, prompt, config, check, new, trust, untrust, enable, disable, history or undo");
  line.list("WORD", options->words, CommandLine::AtLeast::none, "A skill's name; of check, new and trust also a path");
  line.option("-c,--category", options->category, "NAME", "list: only this category; new: where to put it");
  line.flag("-a,--all", options->all, "list: also those that are hidden, with the reason");
  line.option("-f,--file", options->file, "PATH", "view: one of the skill's files instead");
  line.flag("--no-input", options->no_input, "view, run: do not ask for missing variables");
  line.option("--budget", options->budget, "CHARACTERS", "prompt: instead of skills.prompt_budget_chars");
  line.option("-d,--dir", options->directory, "DIR", "new: make it there (default: the skills folder of the home)");
  line.option("--description", options->description, "TEXT", "new: what it does and when to use it, in one line");
  line.option("--entry", options->entry, "NUMBER", "undo: this change, as history numbers them (default: the last)");
  line.option("--session", options->session, "NAME", "Use another session of this workspace");
  line.flag("--json", options->json, "Print JSON");
  return [options] { return run(*options); };
}

}  // namespace

Result<JsonObject> ask_skills(const std::string& method, JsonObject params, const SkillsOptions& options) {
  JsonObject here = TRY(session_here(options.session));
  params["cwd"] = text_or(here, "cwd");
  params["session"] = std::move(here);
  params["environment"] = own_variables();
  Gateway gateway = TRY(Gateway::reach());
  return gateway.client.call_object(method, params_of(std::move(params)));
}

const CliCommand skills_command = {"skills", "Find, load, check and write skills: what an agent knows how to do",
                                   R"(  talaria skills list                        what an agent sees here
  talaria skills view arxiv                  load one: instructions, files, set-up
  talaria skills view arxiv -f references/api.md
  talaria skills run arxiv -- find surveys on diffusion    the message a chat would send
  talaria skills prompt                      the index as it stands in a system prompt
  talaria skills check ./my-skill            what is wrong with it; --json: a line each
  talaria skills new my-skill                a folder to start from
  talaria skills trust                       use the skills of this project
  talaria skills history my-skill            what agents changed; undo takes it back)",
                                   declare_skills};

}  // namespace talaria
