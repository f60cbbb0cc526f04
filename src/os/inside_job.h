#pragma once
#include <sys/types.h>

namespace talaria {

// True when the process runs inside a job: it or a process above it was started with TALARIA_JOB, or is a keeper, who
// adopts whatever a job leaves behind. Also true when that cannot be told because the process is gone. `keeper` is the
// one that is known; any other is told by its name.
bool runs_inside_job(pid_t pid, pid_t keeper = 0);

}  // namespace talaria
