#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/mounts.h"

namespace talaria {

// What may run with more powers than a command must be what it is for everybody in the session, and stay so. A path is
// pinned if each part of it lies on a read-only mount or is the root of a mount, which nobody moves aside; links on the
// way are followed by the same rule, for one that cannot be changed leads where it leads. As the calling process sees
// it: what is found pinned can be opened by its path afterwards, nobody but who makes the mounts can exchange it.
// Nothing is that lies on a mount of `loose`: there are commands that do not have it, and can move it aside; and it
// shows what others than the owner of the machine may have written.

// A directory or file on a read-only mount; or nothing, where nobody can put anything.
Result<> require_pinned(const std::string& path, const MountIds& loose = {});

// Every path in the command line of a program (argv[0], and what else is absolute), with the directories they are in,
// and that argv[0] is a program itself: no script, whose interpreter would be another, and not setuid.
Result<> require_pinned_program(const std::vector<std::string>& argv, const MountIds& loose = {});

}  // namespace talaria
