#pragma once
#include <cstdint>

#include "sandbox/identity.h"

namespace talaria {

// What the calling process's ipc namespace may hold of System V objects, whoever has them attached.
struct SegmentLimits {
  uint64_t bytes = 0;  // of all shared memory segments together; 0: no limit of our own
};

// Writes the limits into the calling process's own ipc namespace. False where its settings belong to somebody else, as
// they do when nobody is root in the namespace's user namespace.
bool limit_segments(const SegmentLimits& limits);

// For one whose namespace's settings belong to somebody else: moves the calling process into a new ipc namespace that
// has the limits. That one is owned by a user namespace of its own, below ours, in which `identity` is root for as long
// as it takes to write them. False where the machine does not give us one; then all is as it was.
bool enter_limited_segments(const SegmentLimits& limits, const Identity& identity);

}  // namespace talaria
