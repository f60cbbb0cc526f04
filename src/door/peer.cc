#include "door/peer.h"

#include "os/proc.h"

namespace talaria {

bool runs_inside_job(pid_t pid, pid_t keeper) {
  for (int depth = 0; depth < 1000 && pid > 1; ++depth) {
    if (pid == keeper || started_with(pid, "TALARIA_JOB")) return true;
    const auto parent = parent_of(pid);
    if (!parent) return true;
    pid = *parent;
  }
  return false;
}

}  // namespace talaria
