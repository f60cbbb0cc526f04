#pragma once
#include <sys/types.h>

namespace talaria {

// True when the process runs inside a job: it or a process above it was started with TALARIA_JOB, or is below the
// keeper. Also true when that cannot be told because the process is gone.
bool runs_inside_job(pid_t pid, pid_t keeper);

}  // namespace talaria
