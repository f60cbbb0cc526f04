#pragma once
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// A read-only file in memory that holds `text`: a command reads it as its stdin and then meets the end.
Result<UniqueFd> stdin_with(std::string_view text);

}  // namespace talaria
