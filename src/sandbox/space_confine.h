#pragma once
#include <cstdint>
#include <span>

#include "base/result.h"
#include "os/fd.h"
#include "sandbox/rlimits.h"
#include "sandbox/space_order.h"

namespace talaria {

// A CommandOrder in the form the system calls want, made before the fork.
struct ConfineView {
  const char* cwd = "/";
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  int streams[3] = {-1, -1, -1};
  bool terminal = false;
  bool keeps_capabilities = false;
  bool no_new_privileges = true;
  const ResourceLimits* limits = nullptr;
  int ruleset = -1;
  std::span<const uint8_t> filter;
};

struct ConfineFailure {
  SpaceStep step;
  int number;  // errno; 0: none
};

// The ruleset of an order, or none. What the machine does not have needs no permission.
Result<UniqueFd> make_order_ruleset(const CommandOrder& order);
// The part of an order that `confine` takes; it points into the order.
ConfineView confinement_of(const CommandOrder& order, const UniqueFd& ruleset);

// What everything that runs in a session's sandbox gives up, for good: limits, signals, capabilities, Landlock and the
// filter, and it starts in `cwd`. System calls only.
ConfineFailure confine(const ConfineView& view);

// Turns the calling child into the command, step by step. Returns only when a step failed. Runs in a vfork child that
// shares its parent's memory: system calls only, nothing that allocates or locks.
ConfineFailure become_confined(const ConfineView& view);

}  // namespace talaria
