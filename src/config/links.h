#pragma once
#include <string>

#include "base/result.h"

namespace talaria {

// The file at the end of a chain of symbolic links, whether it exists or not.
Result<std::string> follow_links(std::string path);

}  // namespace talaria
