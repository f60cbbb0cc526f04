#include "talaria/env_list.h"

#include <algorithm>

namespace talaria {

std::vector<EnvRow> env_rows(const std::map<std::string, std::string>& variables,
                             const std::vector<std::string>& passthrough) {
  std::vector<EnvRow> rows;
  for (const auto& [name, value] : variables) {
    const bool passed = std::find(passthrough.begin(), passthrough.end(), name) != passthrough.end();
    rows.push_back({name, value.empty(), passed});
  }
  return rows;
}

JsonObject env_json(const std::string& path, const std::vector<EnvRow>& rows) {
  JsonArray variables;
  for (const EnvRow& row : rows) {
    variables.push_back(JsonObject{{"name", row.name}, {"empty", row.empty}, {"passthrough", row.passed}});
  }
  return {{"path", path}, {"variables", std::move(variables)}};
}

}  // namespace talaria
