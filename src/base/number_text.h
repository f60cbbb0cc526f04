#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace talaria {

// Numbers as people write them, and nothing else a library would take for one: no nan, inf or 0x10, no 010 for eight,
// no sign +, no blanks, nothing that is too large to be held.

// A duration: 90, 0.5, 1e3; never negative.
std::optional<double> parse_seconds(std::string_view text);
// 42, -7.
std::optional<int64_t> parse_whole_number(std::string_view text);

}  // namespace talaria
