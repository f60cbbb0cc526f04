#include "api/command_environment.h"

#include <algorithm>

#include "api/script_environment.h"

namespace talaria {
namespace {

// What the program has that this command is run for, the command has too. Only inside: on the plain host a call may not
// choose the programs that are found.
void add_client(Environment& environment, const Caller& caller, const std::vector<std::string>& passed) {
  if (!caller.environment || !caller.door.starts_with("script:")) return;
  add_named(environment, *caller.environment, passed);
  for (const char* name : {"PATH", "VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto found = caller.environment->find(name);
    if (found != caller.environment->end()) environment[name] = found->second;
  }
}

}  // namespace

void add_named(Environment& environment, const Environment& source, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = source.find(name);
    if (found != source.end() && check_passed_name(name)) environment[name] = found->second;
  }
}

void add_credential_home(Environment& environment, const Parts& parts, const SessionRow& session) {
  const std::vector<SessionSkill> skills = parts.sessions.details(session).skills;
  const bool wanted = std::ranges::any_of(skills, [](const SessionSkill& skill) { return !skill.credentials.empty(); });
  if (wanted) environment["HERMES_HOME"] = parts.jobs.home().root;
}

CommandEnvironment command_environment(Parts& parts, const std::shared_ptr<const Settings>& settings,
                                       const SessionRow& session, const Caller& caller, const SharedEnvironment& login,
                                       const SandboxPlan* sandbox) {
  const std::vector<std::string> passed = passed_names(parts, *settings, session);
  StoredVariables stored = stored_variables(parts.jobs.home().root, passed);
  CommandEnvironment result;
  if (!sandbox) {
    result.variables = *login;
    add_named(result.variables, stored.variables, passed);
  } else {
    const SandboxEnvironment& inside = parts.sandboxes.environment(settings, login);
    result.variables = inside.variables;
    result.notes = inside.refused;
    add_named(result.variables, *login, passed);
    add_named(result.variables, stored.variables, passed);
    add_client(result.variables, caller, passed);
    for (const auto& [name, value] : sandbox->environment) result.variables[name] = value;
  }
  result.notes.insert(result.notes.end(), stored.notes.begin(), stored.notes.end());
  add_credential_home(result.variables, parts, session);
  result.variables.erase("TERM");
  for (const std::string& name : passed) {
    const auto found = result.variables.find(name);
    if (found == result.variables.end()) continue;
    const bool secret = is_secret_variable(name, found->second) || stored.variables.contains(name);
    if (secret) result.secrets.insert(*found);
  }
  return result;
}

}  // namespace talaria
