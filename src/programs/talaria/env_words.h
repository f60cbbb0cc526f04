#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace talaria {

// The one name after `env set`. A value among the words is refused, with the reason and without repeating it.
Result<std::string> name_to_set(const std::vector<std::string>& words);

// The names after `env unset`, at least one.
Result<std::vector<std::string>> names_to_unset(const std::vector<std::string>& words);

}  // namespace talaria
