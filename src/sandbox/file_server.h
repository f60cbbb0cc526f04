#pragma once
#include "base/result.h"
#include "os/fd.h"
#include "sandbox/space.h"
#include "sandbox/view.h"

namespace talaria {

// The file server of a session: a process in its sandbox that opens, looks at and changes files for a FileClient, with
// the identity, view and confinement of a command, so both see the same files.

// The life of a server, in the first process of its own pid and mount namespace. `order` says how it is confined; its
// program, environment and directory do not matter. `mounts` is what the view was built by. Serves until the other end
// of `socket` is gone or says something malformed.
[[noreturn]] void serve_files(const CommandOrder& order, const MountPlan& mounts, UniqueFd socket);

// Tells the client that there is no server, and why.
void refuse_to_serve(int socket, const SpaceFailure& failure);

}  // namespace talaria
