#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// A short note where the exit code of `command` has a known meaning that its output may not tell: "grep: no lines
// matched". nullopt when we are not sure which program the code came from, or what it means.
std::optional<std::string> meaning_of_exit(std::string_view command, int code);

}  // namespace talaria
