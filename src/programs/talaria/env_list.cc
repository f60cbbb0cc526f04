#include "talaria/env_list.h"

#include <algorithm>

#include "process/environment.h"

namespace talaria {

std::vector<EnvRow> env_rows(const std::map<std::string, std::string>& variables,
                             const std::vector<std::string>& passthrough) {
  std::vector<EnvRow> rows;
  for (const auto& [name, value] : variables) {
    const bool listed = std::find(passthrough.begin(), passthrough.end(), name) != passthrough.end();
    const std::string refused = listed ? why_never_passed(name) : "";
    rows.push_back({name, value.empty(), listed && refused.empty(), refused});
  }
  return rows;
}

JsonObject env_json(const std::string& path, const std::vector<EnvRow>& rows) {
  JsonArray variables;
  for (const EnvRow& row : rows) {
    JsonObject one{{"name", row.name}, {"empty", row.empty}, {"passthrough", row.passed}};
    if (!row.refused.empty()) one["refused"] = row.refused;
    variables.push_back(std::move(one));
  }
  return {{"path", path}, {"variables", std::move(variables)}};
}

}  // namespace talaria
