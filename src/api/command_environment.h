#pragma once
#include <memory>
#include <string>
#include <vector>

#include "api/parts.h"

namespace talaria {

// The variables of a command of a session, before those of the call itself.
struct CommandEnvironment {
  Environment variables;
  Environment secrets;             // those of the passed ones that a model must not read: by their name, or from .env
  std::vector<std::string> notes;  // variables that were to be passed and are not, a sentence each
};

// `sandbox` is null on the plain host. Of the caller's own variables only those of a program count.
CommandEnvironment command_environment(Parts& parts, const std::shared_ptr<const Settings>& settings,
                                       const SessionRow& session, const Caller& caller, const SharedEnvironment& login,
                                       const SandboxPlan* sandbox);

// HERMES_HOME, where a session has a skill with credential files: its programs look for them there.
void add_credential_home(Environment& environment, const Parts& parts, const SessionRow& session);

// Those of `names` that may be passed at all and that `source` has.
void add_named(Environment& environment, const Environment& source, const std::vector<std::string>& names);

}  // namespace talaria
