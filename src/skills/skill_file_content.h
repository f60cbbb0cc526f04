#pragma once
#include <string_view>

namespace talaria {

// Whether the bytes are text to read: no NUL, few other control characters, at least nine tenths UTF-8.
bool is_readable_text(std::string_view bytes);

// What a file that is no text most likely is, by its first bytes; "unknown type" if they do not tell.
std::string_view binary_kind(std::string_view bytes);

}  // namespace talaria
