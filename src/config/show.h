#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// One line of `talaria config show`.
struct SettingRow {
  std::string key;
  std::string value;
  std::string default_value;
  std::string source;  // "default" or "config.yaml"
  std::string help;
  Json typed_value;  // the two values as JSON: numbers, booleans, arrays
  Json typed_default;
  bool operator==(const SettingRow&) const = default;
};

// Every known key with its value in this config text; errors as parse_settings.
Result<std::vector<SettingRow>> show_settings(std::string_view text);

// The table of keys as Markdown, for the documentation.
std::string describe_keys();

}  // namespace talaria
