#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

inline constexpr size_t id_length = 8;

// Eight lower-case letters and digits without the ones people confuse (0 o 1 l i u): 39 bits of `random`.
std::string id_from(uint64_t random);

// True for a whole id or a prefix of one.
bool looks_like_id(std::string_view text);

}  // namespace talaria
