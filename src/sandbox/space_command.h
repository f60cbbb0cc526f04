#pragma once
#include <vector>

#include "os/fd.h"
#include "sandbox/numbered_fd.h"
#include "sandbox/space_order.h"

namespace talaria {

struct CommandStreams {
  UniqueFd input;
  UniqueFd output;
  UniqueFd errors;
  UniqueFd cgroup = {};  // cgroup.procs of the group it joins before anything else, opened by one who may; or none
  std::vector<NumberedFd> further = {};  // 3 to 63
};

// Those of `fds` that follow the control socket, as the order says which they are.
Result<CommandStreams> streams_of(const CommandOrder& order, std::vector<UniqueFd>& fds);

// The life of one command, in the first process of its own pid and mount namespace: finishes the view, confines and
// starts the command, reaps what it leaves behind, passes signals on, and ends everything when the other end of
// `control` is gone. Leaves when nothing is left.
[[noreturn]] void run_command(const CommandOrder& order, UniqueFd control, CommandStreams streams);

// The same, but the command is a fork of this program instead of another one. Returns in the command only, which is
// confined then and has nothing open but its streams.
void fork_command(const CommandOrder& order, UniqueFd control, CommandStreams streams);

// The next report, with pids as this process sees them; `control` must have been prepared. An error when the other end
// is gone: then everything of the command is gone too, perhaps without an `ended`: a cgroup's limit takes the init
// along.
Result<> prepare_control(int control);
// With MSG_PEEK in `flags` it stays there until it is dropped.
Result<CommandReport> receive_report(int control, int flags = 0);
void drop_report(int control);

// Takes every capability from the calling process, for good; 0 or an errno. System calls only.
int drop_capabilities();

}  // namespace talaria
