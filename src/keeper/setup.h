#pragma once
#include <span>

#include "keeper/spawn_order.h"
#include "sandbox/numbered_fd.h"
#include "sandbox/space_order.h"

namespace talaria {

// Where a child stopped on its way to exec.
struct SetupFailure {
  SpaceStep step;
  int number;  // errno
};

// Turns the calling child into the command, step by step. Returns only when a step failed. Runs in a vfork child that
// shares its parent's memory: system calls only, nothing that allocates or locks.
SetupFailure become_command(const SpawnView& order, int input, int output, std::span<const PlacedFd> further);

}  // namespace talaria
