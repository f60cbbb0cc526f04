#pragma once
#include <string>
#include <string_view>

namespace talaria {

// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace talaria
