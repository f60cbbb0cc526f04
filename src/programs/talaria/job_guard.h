#pragma once
#include <string>

#include "base/result.h"

namespace talaria {

// Whether we run inside a job: by our environment, or because a process above us was started in one or is the keeper of
// them, for an environment is easily changed.
bool inside_job();

// A command that an agent runs is not the person at the keyboard: refuses `what` ("the configuration cannot be
// changed") inside a job.
Result<> refuse_inside_job(const std::string& what);

}  // namespace talaria
