#pragma once
#include "keeper/launcher.h"
#include "keeper/spawn_order.h"
#include "os/fd.h"

namespace talaria {

// The life of one plain host job, in a small process of its own: starts the command, adopts what the command leaves
// behind (it is a subreaper), passes signals to the whole tree, and when the keeper is gone ends the tree and itself.
[[noreturn]] void supervise(const SpawnView& order, UniqueFd control, JobStreams streams);

}  // namespace talaria
