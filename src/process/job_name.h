#pragma once
#include <string>
#include <string_view>

namespace talaria {

// A short name for lists, at most 48 characters on one line: the program and its first word that is no option.
// "cd app && NODE_ENV=test npm run dev" is "npm run".
std::string job_name(std::string_view command);

}  // namespace talaria
