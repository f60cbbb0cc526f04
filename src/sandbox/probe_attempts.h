#pragma once
#include <vector>

#include "sandbox/probe.h"

namespace talaria {

// user_namespaces, namespaces, mounts, proc, loopback, devpts, command_namespaces: tried for real, each on top of the
// ones before it, in children that end with the call.
std::vector<Capability> try_namespaces();
Capability try_seccomp();

}  // namespace talaria
