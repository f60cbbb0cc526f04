#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "yaml/yaml_value.h"

namespace talaria {

struct TolerantYaml {
  Json value;
  std::vector<YamlRemark> remarks;  // by line
  bool repaired = false;            // it is not valid YAML as it stands
};

// Reads YAML that may be broken, with the values of read_yaml_value. Only a line that YAML does not take is read in a
// way of its own: a scalar as its text, a bracket added, prose left out; everything else keeps its exact value. Takes
// time in proportion to the text. `known` are keys that are expected at the top: they help to tell keys from prose.
// `text` is UTF-8 without NUL and carriage returns, and its first line has the number `first_line`.
TolerantYaml read_tolerant_yaml(std::string_view text, size_t first_line, std::span<const std::string_view> known);

}  // namespace talaria
