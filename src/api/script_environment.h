#pragma once
#include <optional>
#include <string>
#include <vector>

#include "api/parts.h"
#include "api/place.h"
#include "api/shell_state.h"

namespace talaria {

// The names of variables that confined commands and programs get beside the usual ones: those the owner lists in
// terminal.env_passthrough, and those that skills give.
std::vector<std::string> passed_names(const Settings& settings, const SkillGrants& grants);

// The values of these names in the person's .env, which come before those of the login shell. None without names: then
// the file is not read.
struct StoredVariables {
  Environment variables;
  std::vector<std::string> notes;  // why some are missing
};
StoredVariables stored_variables(const std::string& home, const std::vector<std::string>& names);

// What .env has of the variables that a session was given by skills and is not any more: an earlier command may have
// kept a copy, and a model must not read that either.
Environment withdrawn_secrets(const Parts& parts, const SessionRow& session, const std::vector<std::string>& passed);

// The variables of a program of execute_code.
struct ScriptEnvironment {
  Environment variables;
  std::vector<std::string> notes;  // variables that were to be passed and are not, a sentence each
  Environment secrets;             // those of them that a model must not read: by their name, or from .env
  bool operator==(const ScriptEnvironment&) const = default;
};

// What it is made of.
struct ScriptVariables {
  Environment login;
  Environment own;  // the gateway's: the homes
  Environment stored;
  ShellState shell;
  Environment client;  // of the program that called us, where it gave them
  std::vector<std::string> passed;
  Environment inside;            // of the sandbox: where things are, whatever others say
  std::string python_directory;  // comes first in PYTHONPATH
};
ScriptEnvironment script_environment_of(const ScriptVariables& from);

ScriptEnvironment script_environment(Parts& parts, const Place& place, const SessionRow& session, const Caller& caller,
                                     const std::string& python_directory);

}  // namespace talaria
