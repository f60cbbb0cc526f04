#pragma once
#include <memory>
#include <string>
#include <vector>

#include "api/parts.h"
#include "api/skill_grants.h"

namespace talaria {

// The variables of a command of a session, before those of the call itself.
struct CommandEnvironment {
  Environment variables;
  Environment secrets;             // those of the passed ones that a model must not read: by their name, or from .env
  std::vector<std::string> notes;  // variables that were to be passed and are not, a sentence each
};

// What they are made of.
struct CommandSurroundings {
  const std::shared_ptr<const Settings>& settings;
  const SessionRow& session;
  const Caller& caller;  // of its own variables only those of a program count
  const SharedEnvironment& login;
  const SandboxPlan* sandbox = nullptr;  // null: the plain host
  const SkillGrants& grants;
};
CommandEnvironment command_environment(Parts& parts, const CommandSurroundings& around);

// Those of `secrets` that are the person's: an agent's program may have put another value under a name.
Environment owned_secrets(const Environment& secrets, const Environment& stored, const Environment& login);

// HERMES_HOME, where a session has a skill with credential files: its programs look for them there.
void add_credential_home(Environment& environment, const Parts& parts, const SkillGrants& grants);

// Those of `names` that may be passed at all and that `source` has.
void add_named(Environment& environment, const Environment& source, const std::vector<std::string>& names);
// Those that are not set, in whatever case.
void add_defaults(Environment& environment, const Environment& defaults);

}  // namespace talaria
