#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/space.h"
#include "sandbox/view_facts.h"

namespace talaria {

// What the running machine leaves of a plan; the defaults are a machine that can do everything.
struct SpaceLimits {
  bool loopback = true;
  int landlock_abi = 1000;  // 0: none
  bool seccomp = true;
};

// All that is decided about a session's sandbox: how it is made, and what every command in it gets.
struct SessionPlan {
  SpacePlan space;
  CommandOrder command;  // without argv, cwd and the caller's environment
  View view;
  std::vector<std::string> foreign;  // files that cannot be written, because they are not the workspace owner's
};

// Pure but for compiling the filter. `facts` are of look_at_machine, with the same profile and identity.
Result<SessionPlan> plan_session(const Profile& profile, const Identity& identity, const MachineFacts& facts,
                                 const SpaceLimits& machine = {});

ResourceLimits resource_limits(const Limits& limits);

// One command in an existing sandbox, from start to end: its wait status. For `talaria sandbox run` and tests.
Result<int> run_in_space(SessionSpace& space, const CommandOrder& order, CommandStreams streams);
// The same in a sandbox made for it alone.
Result<int> run_in_sandbox(const SessionPlan& plan, const CommandOrder& order, CommandStreams streams);

}  // namespace talaria
