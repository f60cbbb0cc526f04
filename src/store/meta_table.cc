#include "store/meta_table.h"

namespace talaria {

Result<std::optional<std::string>> MetaTable::get(const std::string& key) {
  Statement statement = TRY(database_->prepare("SELECT value FROM meta WHERE key = ?", "read a setting"));
  std::optional<std::string> value;
  if (TRY(statement.bind(key).step())) statement.read(value);
  return value;
}

Result<> MetaTable::set(const std::string& key, const std::string& value) {
  Statement statement = TRY(
      database_->prepare("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                         "store a setting"));
  TRY(statement.bind(key, value).run());
  return ok;
}

Result<> MetaTable::remove(const std::string& key) {
  Statement statement = TRY(database_->prepare("DELETE FROM meta WHERE key = ?", "remove a setting"));
  TRY(statement.bind(key).run());
  return ok;
}

}  // namespace talaria
