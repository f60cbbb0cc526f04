#pragma once
#include <csignal>

#include "os/fd.h"

namespace talaria {

// Blocks the signals that are for the job (and SIGWINCH, when asked for) and gives an fd that tells of them.
enum class WindowChanges { ignore, tell };
UniqueFd catch_signals(WindowChanges window);

// The signal that came, or 0.
int next_signal(const UniqueFd& signals);

}  // namespace talaria
