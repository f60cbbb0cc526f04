#include "yaml/tolerant_yaml.h"

#include <algorithm>

#include "yaml/plain_yaml.h"
#include "yaml/yaml_repair.h"

namespace talaria {

TolerantYaml read_tolerant_yaml(std::string_view text, size_t first_line, std::span<const std::string_view> known) {
  if (std::optional<Json> plain = read_plain_yaml(text)) return {std::move(*plain), {}, false};
  YamlScope scope;
  std::optional<Json> value = read_yaml_value(text, first_line, scope);
  // A map whose colons lack their blank is one text to YAML.
  const bool glued = value && value->is_string() && YamlRepair::has_known_key(text, known);
  const bool repaired = !value || glued;
  if (repaired) value = YamlRepair(text, first_line, known, scope).read();
  return {std::move(*value), std::move(scope).take_remarks(), repaired};
}

}  // namespace talaria
