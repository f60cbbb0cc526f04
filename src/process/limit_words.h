#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

// Why a limit of its sandbox stopped a command or a program, and what can be done; to follow "Command stopped: ".
// `limit` is called as in stopped_by, `most` is what is allowed, `peak` what there was.
std::string limit_words(std::string_view limit, uint64_t most, uint64_t peak);

}  // namespace talaria
