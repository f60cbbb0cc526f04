#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// The variables of a .env file: NAME=value a line, "export " before it or not, # comments, values bare, in single
// quotes (as they are) or in double quotes (with \n, \t, \" and \\). Lines that are none of this are left out.
std::map<std::string, std::string> parse_dotenv(std::string_view text);

// A missing file has none. One that others than its owner can read is refused.
Result<std::map<std::string, std::string>> read_dotenv(const std::string& path);

}  // namespace talaria
