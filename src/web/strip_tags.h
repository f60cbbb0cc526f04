#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

// The text of HTML without parsing it: tags, scripts and comments taken out, the commonest entities read, spaces
// collapsed. For snippets, and for pages that cannot be parsed. Linear in time; of memory it takes what it gives,
// `most` bytes at the most.
std::string strip_tags(std::string_view html, size_t most = SIZE_MAX);

}  // namespace talaria
