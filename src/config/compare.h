#pragma once
#include <string>
#include <vector>

#include "yaml/yaml.h"

namespace talaria {

// True when `more` is `less` with the value at `path` added or changed and all else the same, in the same order.
bool same_but(const YamlDocument& less, const YamlDocument& more, const std::vector<std::string>& path);

}  // namespace talaria
