#pragma once
#include <functional>
#include <string>

#include "api/parts.h"
#include "tools/operation.h"

namespace talaria {

// The gateway is about to go: ends the jobs if that is wanted, writes what waits, and answers how many run on and what
// could not be written.
[[nodiscard]] OperationPtr start_stop(Parts& parts, bool end_jobs, std::function<void(const std::string&)> warn,
                                      Done<JsonObject> done);

}  // namespace talaria
