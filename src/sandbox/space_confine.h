#pragma once
#include <cstdint>
#include <span>

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
  int number;  // errno
};

// Turns the calling child into the command, step by step. Returns only when a step failed. Runs in a vfork child that
// shares its parent's memory: system calls only, nothing that allocates or locks.
ConfineFailure become_confined(const ConfineView& view);

}  // namespace talaria
