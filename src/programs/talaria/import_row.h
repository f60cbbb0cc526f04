#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"

namespace talaria {

// What becomes of one thing of the other program's.
struct ImportRow {
  enum class Kind { setting, variable, skill, file };
  enum class Result { taken, kept, left, not_understood, by_hand, failed };

  Kind kind = Kind::setting;
  std::string name;
  Result result = Result::taken;
  std::string detail;
  bool operator==(const ImportRow&) const = default;
};

std::string_view name_of(ImportRow::Kind kind);
std::string_view name_of(ImportRow::Result result);

bool has_result(const std::vector<ImportRow>& rows, ImportRow::Result result);
// [{kind, name, result, detail}]
JsonArray rows_json(const std::vector<ImportRow>& rows);

}  // namespace talaria
