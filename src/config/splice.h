#pragma once
// Where the bytes of an edit go. Nothing outside a splice changes, so comments, order, quoting and line endings stay.
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "yaml/yaml.h"

namespace talaria {

// What may stand around a value on its line.
inline constexpr std::string_view line_blanks = " \t";

// Bytes [at, at + remove) give way to `insert`.
struct Splice {
  size_t at = 0;
  size_t remove = 0;
  std::string insert;
};

// `splices` do not overlap; those at one place apply in their order.
std::string apply_splices(std::string_view text, std::vector<Splice> splices);

// How to give `path` the value `written` (one line of YAML that is valid in block and in flow).
Result<std::vector<Splice>> plan_set(const YamlDocument& document, std::string_view text,
                                     const std::vector<std::string>& path, const std::string& written);

// How to remove `path`; nothing to do when it is not there. A section that loses its last key goes too, unless a
// comment in it would be left without a home.
Result<std::vector<Splice>> plan_unset(const YamlDocument& document, std::string_view text,
                                       const std::vector<std::string>& path);

}  // namespace talaria
