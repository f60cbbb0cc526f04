#pragma once
#include "base/result.h"
#include "keeper/spawn_order.h"
#include "os/fd.h"
#include "os/pty.h"
#include "sandbox/numbered_fd.h"

namespace talaria {

// What a job's command is connected to.
struct JobStreams {
  UniqueFd input;
  UniqueFd output;  // and stderr, unless `fds` have a 2
  std::vector<NumberedFd> fds = {};
};

// Where a job's command comes to life: on the plain host, or in a session's sandbox.
class Launcher {
 public:
  virtual ~Launcher() = default;

  virtual Result<Pty> terminal(WindowSize size) = 0;
  // A pipe was made for a command. Where that runs as somebody else it becomes theirs, so that they can open it once
  // more by name: /dev/stdout. Without that it still works as it stands.
  virtual void give(int pipe) { (void)pipe; }
  // The outcome comes as CommandReports on the other end of `control`, which `prepare` has seen before.
  virtual Result<> prepare(int control) = 0;
  virtual Result<> launch(const std::string& job, const SpawnOrder& order, UniqueFd control, JobStreams streams) = 0;
};

}  // namespace talaria
