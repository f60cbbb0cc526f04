#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/yaml_value.h"

namespace talaria {

// Front matter with quotes around texts that need them, on the same lines as before.
struct QuotedTexts {
  std::string source;
  std::vector<YamlRemark> remarks;
};

// A description such as "!important do" or "&amp; more" is valid YAML that says less than its author wrote: its first
// word is a tag or an anchor. Where nobody can have meant that, it is text. Nothing: there is no such line.
std::optional<QuotedTexts> quote_unmeant_properties(std::string_view source, size_t first_line);

}  // namespace talaria
