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

// A key for a model provider, which is the agent's and not its commands'.
bool is_provider_credential(std::string_view name);

// Whether a value under this name is probably a secret: API_KEY, GITHUB_TOKEN, PGPASSWORD, but not SSH_AUTH_SOCK.
bool is_secret_name(std::string_view name);

// "NAME=value" each, for execve(2).
std::vector<std::string> to_envp(const Environment& environment);

// The output of `env -0`, or /proc/PID/environ. A later value of a name wins.
Result<Environment> parse_env0(std::string_view bytes);

}  // namespace talaria
