#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "sandbox/numbered_fd.h"
#include "sandbox/rlimits.h"
#include "sandbox/space_order.h"

namespace talaria {

// A CommandOrder in the form the system calls want, made before the fork.
struct ConfineView {
  const char* cwd = "/";
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  int streams[3] = {-1, -1, -1};
  std::span<const PlacedFd> further;  // if there are any, the ruleset lies above their numbers too
  bool terminal = false;
  bool keeps_capabilities = false;
  bool no_new_privileges = true;
  const ResourceLimits* limits = nullptr;
  int ruleset = -1;
  std::span<const uint8_t> filter;
};

// Arguments or an environment as exec wants them: they point into `texts`, with a null at their end.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

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

// The signals of a program that was just started: all as they are by default, none blocked. 0 or an errno. System calls
// only.
int default_signals();

// Turns the calling child into the command, step by step, but for the program: it goes on with the one it was forked
// from. What the caller still holds above the numbers of `further` is the caller's to close.
ConfineFailure become_confined_fork(const ConfineView& view);

// Turns the calling child into the command, step by step. Returns only when a step failed. Runs in a vfork child that
// shares its parent's memory: system calls only, nothing that allocates or locks.
ConfineFailure become_confined(const ConfineView& view);

}  // namespace talaria
