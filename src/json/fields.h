#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"

namespace talaria {

// Reads the fields of an object that came from outside. Each read names the field in its error, a missing or null
// field reads as nullopt, and no_others() refuses what nobody asked for, so a typing error never passes silently.
class Fields {
 public:
  // `what` names the object in messages: "exec parameter", "config key".
  Fields(const JsonObject& object, std::string what) : object_(object), what_(std::move(what)) {}

  Result<std::optional<std::string>> text(std::string_view name);
  Result<std::optional<bool>> boolean(std::string_view name);
  // Whole numbers; 3.0 counts as 3. Out of range is an error that gives the range.
  Result<std::optional<int64_t>> integer(std::string_view name, int64_t least, int64_t most);
  // Finite numbers, fractions too.
  Result<std::optional<double>> number(std::string_view name, double least, double most);
  Result<std::optional<std::vector<std::string>>> texts(std::string_view name);
  Result<std::optional<std::map<std::string, std::string>>> text_map(std::string_view name);
  Result<const JsonObject*> object(std::string_view name);
  // Any kind; null when absent.
  const Json* any(std::string_view name);

  // An error naming the first unknown field and the known ones.
  Result<> no_others() const;

 private:
  const Json* find(std::string_view name);
  Error wrong(std::string_view name, std::string_view wanted, const Json& got) const;

  const JsonObject& object_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace talaria
