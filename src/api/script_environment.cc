#include "api/script_environment.h"

#include <algorithm>

#include "api/command_environment.h"
#include "api/virtual_environment.h"
#include "config/dotenv.h"

namespace talaria {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<std::string> passed_names(const Settings& settings, const SkillGrants& grants) {
  std::vector<std::string> names = settings.terminal.env_passthrough;
  for (const std::string& name : grants.variables) {
    if (!contains(names, name) && check_declared_name(name)) names.push_back(name);
  }
  return names;
}

StoredVariables stored_variables(const std::string& home, const std::vector<std::string>& names) {
  StoredVariables result;
  if (names.empty()) return result;
  const Result<Environment> stored = read_dotenv(home + "/.env");
  if (!stored) {
    result.notes.push_back("No variable is passed from .env: " + stored.error().message());
    return result;
  }
  for (const std::string& name : names) {
    const auto found = stored->find(name);
    if (found == stored->end() || !check_passed_name(name) || result.variables.contains(name)) continue;
    if (const Result<> fits = check_sandbox_call_env({*found}); !fits) {
      result.notes.push_back("'" + name + "' is not passed from .env: " + fits.error().message());
    } else {
      result.variables.insert(*found);
    }
  }
  return result;
}

Environment withdrawn_secrets(const Parts& parts, const SessionRow& session, const std::vector<std::string>& passed) {
  std::vector<std::string> names = parts.sessions.details(session).granted;
  std::erase_if(names, [&](const std::string& name) { return contains(passed, name); });
  return stored_variables(parts.jobs.home().root, names).variables;
}

ScriptEnvironment script_environment_of(const ScriptVariables& from) {
  Environment all = from.login;
  for (const char* name : {"TALARIA_HOME", "HERMES_HOME"}) {
    if (const auto home = from.own.find(name); home != from.own.end()) all.insert(*home);
  }
  for (const auto& [name, value] : from.stored) all[name] = value;
  apply_state(from.shell, all);
  for (const auto& [name, value] : from.client) all[name] = value;
  SandboxEnvironment chosen = script_variables(all, from.passed);

  ScriptEnvironment result;
  result.variables = std::move(chosen.variables);
  result.notes = std::move(chosen.refused);
  for (const auto& [name, value] : from.inside) result.variables[name] = value;
  for (const auto& [name, value] : result.variables) {
    const bool stored = from.stored.contains(name) && contains(from.passed, name);
    if (!from.inside.contains(name) && (is_secret_variable(name, value) || stored)) {
      result.secrets.emplace(name, value);
    }
  }
  std::string& path = result.variables["PYTHONPATH"];
  path = path.empty() ? from.python_directory : from.python_directory + ":" + path;
  return result;
}

ScriptEnvironment script_environment(Parts& parts, const Place& place, const SessionRow& session, const Caller& caller,
                                     const std::string& python_directory) {
  ScriptVariables from;
  from.login = *place.environment;
  from.own = parts.environment.own();
  from.passed = passed_names(*place.settings, place.grants);
  StoredVariables stored = stored_variables(parts.jobs.home().root, from.passed);
  from.stored = std::move(stored.variables);
  from.shell = parts.shells.of(session);
  if (caller.environment) from.client = *caller.environment;
  if (place.sandbox) from.inside = place.sandbox->environment;
  from.python_directory = python_directory;
  ScriptEnvironment result = script_environment_of(from);
  if (place.sandbox) {
    add_defaults(result.variables, place.sandbox->defaults);
    put_virtual_environment_first(result.variables, place.sandbox->view);
  }
  parts.secrets.given(owned_secrets(result.secrets, from.stored, from.login));
  add_credential_home(result.variables, parts, place.grants);
  result.secrets.merge(withdrawn_secrets(parts, session, from.passed));
  result.notes.insert(result.notes.end(), stored.notes.begin(), stored.notes.end());
  return result;
}

}  // namespace talaria
