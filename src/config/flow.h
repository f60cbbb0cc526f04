#pragma once
#include <string>

#include "yaml/yaml.h"

namespace talaria {

constexpr size_t longest_flow = 64 << 10;

// The value at `index` in one line of YAML: "2G", "[A, B]", "{a: 1}". Cut off soon after longest_flow bytes, where it
// is far too long to read.
std::string flow_of(const YamlDocument& document, size_t index);

}  // namespace talaria
