#pragma once
#include <string_view>

namespace talaria {

inline constexpr std::string_view unknown_mime = "application/octet-stream";

// What a file that is no text most likely is, by its first bytes.
std::string_view mime_of(std::string_view bytes);
// The same for people: "PNG image", "unknown type".
std::string_view kind_in_words(std::string_view bytes);

}  // namespace talaria
