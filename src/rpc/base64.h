#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// Standard alphabet, padded.
std::string base64_encode(std::string_view bytes);
// Exact inverse: whitespace, missing padding and stray bits are errors.
Result<std::string> base64_decode(std::string_view text);

}  // namespace talaria
