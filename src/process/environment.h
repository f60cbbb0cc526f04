#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

using Environment = std::map<std::string, std::string>;

// Whether a call may set these variables for a command on the plain host. Refused is what makes an allowed program
// run or load something else: search paths, hooks, preloads, the programs and configuration that other programs start
// from their environment. A person can still write them into the command itself, where the policy sees them.
Result<> check_call_env(const Environment& variables);

// What a command on the plain host inherits of the user's environment: all but our own variables, the credentials of
// the agent's model providers, and variables that inject code into every shell or program.
Environment host_environment(const Environment& snapshot);

// Whether a call may set these variables for a command in the sandbox: names must be valid and values fit. The sandbox
// is the boundary, so a call's own values are its own business.
Result<> check_sandbox_call_env(const Environment& variables);

// What a command in the sandbox gets of the user's environment.
struct SandboxEnvironment {
  Environment variables;
  // Names a person wanted passed through and that are not, each a sentence with the reason.
  std::vector<std::string> refused;
  bool operator==(const SandboxEnvironment&) const = default;
};

// Only the variables every program expects (PATH, LANG, XDG_…) and the names of `passthrough`. Names that look like
// secrets pass only by that list; credentials of model providers, our own variables and those that inject code into
// programs never do. Where things are inside (HOME, TMPDIR, XDG_…) is the view's to say, over these.
SandboxEnvironment sandbox_environment(const Environment& snapshot, const std::vector<std::string>& passthrough);

// The same for a program that an agent wrote for execute_code, in the sandbox or not: a shorter list, with TALARIA_HOME
// and HERMES_HOME.
SandboxEnvironment script_variables(const Environment& snapshot, const std::vector<std::string>& passthrough);

// Why confined commands and programs are never given this variable; empty when they may.
std::string why_never_passed(std::string_view name);
// The same as an error that names it.
Result<> check_passed_name(std::string_view name);

// The same where not the person names the variable but a text of somebody else, such as a skill: what decides which
// programs run (PATH, EDITOR, GIT_SSH_COMMAND, PYTHONPATH) is then refused, too.
Result<> check_declared_name(std::string_view name);
std::string why_never_declared(std::string_view name);

// A key for a model provider, which is the agent's and not its commands'.
bool is_provider_credential(std::string_view name);

// Whether a value under this name is probably a secret: API_KEY, GITHUB_TOKEN, PGPASSWORD, but not SSH_AUTH_SOCK.
bool is_secret_name(std::string_view name);
// The same for a variable, of which the value may tell what the name does not.
bool is_secret_variable(std::string_view name, std::string_view value);

// "NAME=value" each, for execve(2).
std::vector<std::string> to_envp(const Environment& environment);

// The output of `env -0`, or /proc/PID/environ. A later value of a name wins.
Result<Environment> parse_env0(std::string_view bytes);

}  // namespace talaria
