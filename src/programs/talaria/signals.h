#pragma once
#include <termios.h>

#include <csignal>

#include "os/fd.h"

namespace talaria {

// From here on SIGINT, SIGTERM and SIGHUP (and SIGWINCH, when asked for) do not end us: the fd that is given tells of
// them. Those that were ignored before (nohup) stay ignored. A second one ends us all the same, whatever we wait for:
// whoever reads the fd has half a second to leave in good order, and a third one does not wait for that. What arrives
// within 20 ms of the first counts as the same: timeout(1) and some shells send it twice.
enum class WindowChanges { ignore, tell };
UniqueFd catch_signals(WindowChanges window);

// The signal that came, or 0.
int next_signal(const UniqueFd& signals);

// The terminal's settings are put back when a signal ends us; a negative fd: there is nothing to put back any more.
void restore_when_leaving(int fd, const termios& before);

}  // namespace talaria
