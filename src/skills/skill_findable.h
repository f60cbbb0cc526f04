#pragma once
#include <string>

#include "base/result.h"

namespace talaria {

// Whether a walk from `root` would meet a skill in the folder `path` below it, which need not be there yet; the error
// says why not.
Result<> check_findable(const std::string& root, const std::string& path);

}  // namespace talaria
