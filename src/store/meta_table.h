#pragma once
#include <optional>
#include <string>

#include "store/database.h"

namespace talaria {

// Single values that need no table of their own, such as when a snapshot was taken.
class MetaTable {
 public:
  explicit MetaTable(Database& database) : database_(&database) {}

  Result<std::optional<std::string>> get(const std::string& key);
  Result<> set(const std::string& key, const std::string& value);
  // Absent is fine.
  Result<> remove(const std::string& key);

 private:
  Database* database_;
};

}  // namespace talaria
