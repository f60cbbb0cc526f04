#pragma once
#include <string>
#include <string_view>

namespace talaria {

// The text of HTML without parsing it: tags, scripts and comments taken out, the commonest entities read, spaces
// collapsed. For snippets, and for pages that cannot be parsed. Linear in time.
std::string strip_tags(std::string_view html);

}  // namespace talaria
