#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// The one of `names` that another spelling of it means: "cmd" is command, "session_id" is sessionId, "dir" is workdir.
// Empty when there is none.
std::string meant_name(std::string_view word, const std::vector<std::string>& names);

}  // namespace talaria
