#include "talaria/import_row.h"

#include <algorithm>
#include <array>

namespace talaria {

std::string_view name_of(ImportRow::Kind kind) {
  constexpr std::array<std::string_view, 4> names = {"setting", "variable", "skill", "file"};
  return names[static_cast<size_t>(kind)];
}

std::string_view name_of(ImportRow::Result result) {
  constexpr std::array<std::string_view, 6> names = {"taken", "kept", "left", "not understood", "by hand", "failed"};
  return names[static_cast<size_t>(result)];
}

bool has_result(const std::vector<ImportRow>& rows, ImportRow::Result result) {
  return std::any_of(rows.begin(), rows.end(), [&](const ImportRow& row) { return row.result == result; });
}

JsonArray rows_json(const std::vector<ImportRow>& rows) {
  JsonArray list;
  for (const ImportRow& row : rows) {
    list.push_back(JsonObject{
        {"kind", name_of(row.kind)}, {"name", row.name}, {"result", name_of(row.result)}, {"detail", row.detail}});
  }
  return list;
}

}  // namespace talaria
