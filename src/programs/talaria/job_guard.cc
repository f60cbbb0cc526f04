#include "talaria/job_guard.h"

#include <unistd.h>

#include <cstdlib>

#include "os/inside_job.h"

namespace talaria {

bool inside_job() {
  if (std::getenv("TALARIA_JOB")) return true;
  // A process above us that ends during the look makes it fail; the next one sees who took us over.
  for (int tries = 0; tries < 3; ++tries) {
    if (!runs_inside_job(::getpid())) return false;
  }
  return true;
}

Result<> refuse_inside_job(const std::string& what) {
  if (!inside_job()) return ok;
  return Error(ErrorCode::denied, what + " from inside a job");
}

}  // namespace talaria
