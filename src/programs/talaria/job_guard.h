#pragma once
#include <string>

#include "base/result.h"

namespace talaria {

// A command that an agent runs is not the person at the keyboard: refuses `what` ("the configuration cannot be
// changed") inside a job.
Result<> refuse_inside_job(const std::string& what);

}  // namespace talaria
