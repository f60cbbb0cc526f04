#include "api/command_environment.h"

#include <algorithm>

#include "api/script_environment.h"
#include "api/virtual_environment.h"
#include "base/text.h"

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

// Some programs do not tell npm_config_x from NPM_CONFIG_X.
void add_defaults(Environment& environment, const Environment& defaults) {
  for (const auto& [name, value] : defaults) {
    const bool set = std::ranges::any_of(environment, [&](const auto& one) { return lower(one.first) == lower(name); });
    if (!set) environment[name] = value;
  }
}

Environment owned_secrets(const Environment& secrets, const Environment& stored, const Environment& login) {
  Environment owned;
  for (const auto& [name, value] : secrets) {
    if (value_in(stored, name) == value || value_in(login, name) == value) owned.emplace(name, value);
  }
  return owned;
}

void add_credential_home(Environment& environment, const Parts& parts, const SkillGrants& grants) {
  if (grants.credential_files) environment["HERMES_HOME"] = parts.jobs.home().root;
}

CommandEnvironment command_environment(Parts& parts, const CommandSurroundings& around) {
  const std::vector<std::string> passed = passed_names(*around.settings, around.grants);
  StoredVariables stored = stored_variables(parts.jobs.home().root, passed);
  CommandEnvironment result;
  if (!around.sandbox) {
    result.variables = *around.login;
    add_named(result.variables, stored.variables, passed);
  } else {
    const SandboxEnvironment& inside = parts.sandboxes.environment(around.settings, around.login);
    result.variables = inside.variables;
    result.notes = inside.refused;
    add_named(result.variables, *around.login, passed);
    add_named(result.variables, stored.variables, passed);
    add_client(result.variables, around.caller, passed);
    for (const auto& [name, value] : around.sandbox->environment) result.variables[name] = value;
    add_defaults(result.variables, around.sandbox->defaults);
    put_virtual_environment_first(result.variables, around.sandbox->view);
  }
  result.notes.insert(result.notes.end(), stored.notes.begin(), stored.notes.end());
  add_credential_home(result.variables, parts, around.grants);
  result.variables.erase("TERM");
  result.secrets = withdrawn_secrets(parts, around.session, passed);
  for (const std::string& name : passed) {
    const auto found = result.variables.find(name);
    if (found == result.variables.end()) continue;
    const bool secret = is_secret_variable(name, found->second) || stored.variables.contains(name);
    if (secret) result.secrets.insert(*found);
  }
  parts.secrets.given(owned_secrets(result.secrets, stored.variables, *around.login));
  return result;
}

}  // namespace talaria
