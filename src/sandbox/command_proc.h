#pragma once
#include "base/result.h"

namespace talaria {

// In a command's own pid and mount namespace: /proc of its processes, its system part read-only or covered. Where /proc
// cannot be mounted an empty directory takes its place.
Result<> build_command_proc();

}  // namespace talaria
