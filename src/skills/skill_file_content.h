#pragma once
#include <string_view>

namespace talaria {

// Whether the bytes are text to read: no NUL, few other control characters, at least nine tenths UTF-8.
bool is_readable_text(std::string_view bytes);

}  // namespace talaria
