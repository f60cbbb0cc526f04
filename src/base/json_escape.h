#pragma once
#include <string>

namespace talaria {

// A character as JSON writes it in ASCII: \u00e9, or two such for one beyond U+FFFF.
void append_json_escape(std::string& text, char32_t character);

}  // namespace talaria
