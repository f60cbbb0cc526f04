#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// A flow collection ("[a, b", "{\"a\": 1}}") with its missing closing brackets added, those too many and doubled commas
// gone, on one line. Nothing when it is a text that only starts like one, as "[a] or [b]".
std::optional<std::string> mend_flow(std::string_view text);

}  // namespace talaria
