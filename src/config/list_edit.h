#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// Edits of one item of a list of texts, with the promises of set_key: nothing else changes, and a list keeps its style,
// the way it is laid out and its comments.

// Adds `value` as the last item, unless it is there. An absent key is made; a single text becomes a list of two.
Result<std::string> add_to_list(std::string_view text, std::string_view key, std::string_view value);

// Removes every item that is `value`, each with the comment beside it where it has a line of its own. The last one
// leaves `[]`. Where it is not there nothing changes.
Result<std::string> remove_from_list(std::string_view text, std::string_view key, std::string_view value);

}  // namespace talaria
