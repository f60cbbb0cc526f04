#pragma once
#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "keeper/spawn_order.h"
#include "os/fd.h"

namespace talaria {

// A process forked from the keeper before the keeper holds anything, that forks the supervisors. Its memory stays tiny
// and unchanged, so a fork costs little, and no supervisor keeps a private copy of the keeper's heap or any of its fds.
// The supervisors are still the keeper's children (CLONE_PARENT).
class Spawner {
 public:
  // Call first thing, while the process is small and has one thread.
  static Result<Spawner> start();

  // Blocks only while the spawner's socket is full, which its reading empties. The outcome comes as a
  // SupervisorReport on the other end of `control`.
  Result<> spawn(const SpawnOrder& order, UniqueFd control, UniqueFd input, UniqueFd output);

  pid_t pid() const { return pid_; }

 private:
  Spawner(pid_t pid, UniqueFd socket) : pid_(pid), socket_(std::move(socket)) {}

  pid_t pid_;
  UniqueFd socket_;
};

}  // namespace talaria
