#include "talaria/job_guard.h"

#include <cstdlib>

namespace talaria {

Result<> refuse_inside_job(const std::string& what) {
  if (!std::getenv("TALARIA_JOB")) return ok;
  return Error(ErrorCode::denied, what + " from inside a job");
}

}  // namespace talaria
