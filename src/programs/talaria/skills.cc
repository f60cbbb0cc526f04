#include "talaria/skills.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/own_variables.h"
#include "talaria/print.h"
#include "talaria/word_check.h"

namespace talaria {
namespace {

struct Action {
  std::string_view name;
  int (*run)(const SkillsOptions& options);
  size_t least;  // words it needs
  size_t most;
  const char* needs;  // what those are
  const char* usage;  // behind its name
};

constexpr size_t any = 10'000;

constexpr std::array actions = {
    Action{"list", list_skills, 0, 0, "", "[-c CATEGORY] [-a]"},
    Action{"view", view_skill, 1, 1, "the name of a skill", "NAME [-f PATH] [--no-input]"},
    Action{"run", run_skill, 1, any, "the name of a skill, and after -- what to say with it",
           "NAME [--no-input] [-- TEXT...]"},
    Action{"prompt", show_prompt, 0, 0, "", "[--budget CHARACTERS]"},
    Action{"config", show_skill_settings, 0, 1, "at most the name of a skill", "[NAME]"},
    Action{"check", check_paths, 0, any, "files or folders", "[PATH...]"},
    Action{"new", make_new_skill, 1, 1, "a name", "NAME [-d DIR] [-c CATEGORY] [--description TEXT]"},
    Action{"trust", trust_skills, 0, 1, "at most one project or skill", "[PATH|NAME]"},
    Action{"untrust", untrust_skills, 0, 1, "at most one project or skill", "[PATH|NAME]"},
    Action{"enable", switch_on, 1, any, "names of skills", "NAME..."},
    Action{"disable", switch_off, 1, any, "names of skills", "NAME..."},
    Action{"history", show_history, 1, 1, "the name of a skill", "NAME"},
    Action{"undo", undo_change, 1, 1, "the name of a skill", "NAME [--entry NUMBER]"},
};

// An option that only some actions have; --session and --json are everybody's.
struct OwnedOption {
  const char* name;
  bool (*given)(const SkillsOptions& options);
  std::array<std::string_view, 2> owners;
};

constexpr std::array owned_options = {
    OwnedOption{
        "--category", [](const SkillsOptions& options) { return options.category.has_value(); }, {"list", "new"}},
    OwnedOption{"--all", [](const SkillsOptions& options) { return options.all; }, {"list"}},
    OwnedOption{"--file", [](const SkillsOptions& options) { return options.file.has_value(); }, {"view"}},
    OwnedOption{"--no-input", [](const SkillsOptions& options) { return options.no_input; }, {"view", "run"}},
    OwnedOption{"--budget", [](const SkillsOptions& options) { return options.budget.has_value(); }, {"prompt"}},
    OwnedOption{"--dir", [](const SkillsOptions& options) { return options.directory.has_value(); }, {"new"}},
    OwnedOption{"--description", [](const SkillsOptions& options) { return options.description.has_value(); }, {"new"}},
    OwnedOption{"--entry", [](const SkillsOptions& options) { return options.entry.has_value(); }, {"undo"}},
};

// What is wrong with the words and options of an action; empty: nothing.
std::string misuse_of(const Action& action, const SkillsOptions& options) {
  const std::string name(action.name);
  const size_t count = options.words.size();
  const std::string wanted = action.most == 0 ? "no further words" : action.needs;
  if (count < action.least || count > action.most) return name + " takes " + wanted;
  // What is said with a skill may be anything.
  const size_t names = action.name == "run" ? 1 : count;
  if (std::count(options.words.begin(), options.words.begin() + static_cast<ptrdiff_t>(names), "") > 0) {
    return name + " takes " + wanted + "; an empty word is none";
  }
  for (const OwnedOption& option : owned_options) {
    const auto& [first, second] = option.owners;
    if (!option.given(options) || first == action.name || second == action.name) continue;
    return std::string(option.name) + " is an option of " + std::string(first) +
           (second.empty() ? "" : " and " + std::string(second)) + ", not of " + name;
  }
  return "";
}

int run(const SkillsOptions& options) {
  std::vector<std::string> names;
  for (const Action& action : actions) {
    names.emplace_back(action.name);
    if (action.name != options.action) continue;
    const std::string misuse = misuse_of(action, options);
    return misuse.empty() ? action.run(options) : usage_error("skills", misuse);
  }
  return usage_error("skills", no_such("action", options.action, names));
}

Run declare_skills(CommandLine& line) {
  auto options = std::make_shared<SkillsOptions>();
  line.required("ACTION", options->action,
                "list, view, run, prompt, config, check, new, trust, untrust, enable, disable, history or undo");
  line.list("WORD", options->words, CommandLine::AtLeast::none,
            "A skill's name; of check, new, trust and untrust also a path");
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
  for (const Action& action : actions) {
    line.action(std::string(action.name), "talaria skills " + std::string(action.name) + " " + action.usage);
  }
  return [options] { return run(*options); };
}

}  // namespace

Result<JsonObject> ask_skills(const std::string& method, JsonObject params, const SkillsOptions& options) {
  JsonObject here = TRY(session_here(options.session));
  params["cwd"] = text_or(here, "cwd");
  params["session"] = std::move(here);
  params["environment"] = own_variables();
  Gateway gateway = TRY(Gateway::reach());
  // Loading a skill may run the commands in its text; all others of these look only.
  const bool loads = method == "skills/view" || method == "skills/message";
  return gateway.call(method, params_of(std::move(params)), loads ? Repeat::may_run_twice : Repeat::harmless);
}

const CliCommand skills_command = {"skills", "Find, load, check and write skills: what an agent knows how to do",
                                   R"(  talaria skills list                 what an agent sees here
  talaria skills view arxiv           load one: instructions, files, set-up
  talaria skills view arxiv -f references/api.md
  talaria skills run arxiv -- find surveys on diffusion
                                      print the message a chat would send
  talaria skills prompt               print the index for a system prompt
  talaria skills check ./my-skill     what is wrong with it; without a path,
                                      what is wrong with any skill
  talaria skills new my-skill         make a folder to start from
  talaria skills trust                use the skills of this project
  talaria skills history my-skill     what agents changed; undo takes it back)",
                                   declare_skills};

}  // namespace talaria
