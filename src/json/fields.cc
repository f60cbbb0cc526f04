#include "json/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/meant_name.h"
#include "base/text.h"

namespace talaria {
namespace {

// As a person writes it: the library would say 3.5E0.
std::string plain(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string plain(const Json& number) { return number.is_double() ? plain(number.get_double()) : write_json(number); }

}  // namespace

const Json* Fields::find(std::string_view name) {
  known_.emplace_back(name);
  const Json* value = object_.if_contains(name);
  return value && !value->is_null() ? value : nullptr;
}

Error Fields::wrong(std::string_view name, std::string_view wanted, const Json& got) const {
  return invalid(what_ + " \"" + std::string(name) + "\" must be " + std::string(wanted) + ", got " +
                 std::string(kind_name(got)));
}

Result<std::optional<std::string>> Fields::text(std::string_view name) {
  const Json* value = find(name);
  if (!value) return std::optional<std::string>();
  if (!value->is_string()) return wrong(name, "a string", *value);
  return std::optional<std::string>(std::string(value->get_string()));
}

Result<std::optional<bool>> Fields::boolean(std::string_view name) {
  const Json* value = find(name);
  if (!value) return std::optional<bool>();
  if (!value->is_bool()) return wrong(name, "true or false", *value);
  return std::optional<bool>(value->get_bool());
}

Result<std::optional<double>> Fields::number(std::string_view name, double least, double most) {
  const Json* value = find(name);
  if (!value) return std::optional<double>();
  if (!value->is_number()) return wrong(name, "a number", *value);
  const double number = value->to_number<double>();
  if (!std::isfinite(number) || number < least || number > most) {
    return invalid(what_ + " \"" + std::string(name) + "\" must be a number from " + plain(least) + " to " +
                   plain(most) + ", got " + plain(*value));
  }
  return std::optional<double>(number);
}

Result<std::optional<int64_t>> Fields::integer(std::string_view name, int64_t least, int64_t most) {
  const Json* value = find(name);
  if (!value) return std::optional<int64_t>();
  if (!value->is_number()) return wrong(name, "a whole number", *value);
  boost::json::error_code failure;
  const int64_t number = value->to_number<int64_t>(failure);  // exact only: 3.0 passes, 3.5 and 1e300 do not
  if (failure || number < least || number > most) {
    return invalid(what_ + " \"" + std::string(name) + "\" must be a whole number from " + std::to_string(least) +
                   " to " + std::to_string(most) + ", got " + plain(*value));
  }
  return std::optional<int64_t>(number);
}

Result<std::optional<std::vector<std::string>>> Fields::texts(std::string_view name) {
  const Json* value = find(name);
  if (!value) return std::optional<std::vector<std::string>>();
  if (!value->is_array()) return wrong(name, "a list of strings", *value);
  std::vector<std::string> texts;
  for (const Json& item : value->get_array()) {
    if (!item.is_string()) {
      return wrong(std::string(name) + "[" + std::to_string(texts.size()) + "]", "a string", item);
    }
    texts.emplace_back(item.get_string());
  }
  return std::optional(std::move(texts));
}

Result<std::optional<std::map<std::string, std::string>>> Fields::text_map(std::string_view name) {
  const Json* value = find(name);
  if (!value) return std::optional<std::map<std::string, std::string>>();
  if (!value->is_object()) return wrong(name, "an object of strings", *value);
  std::map<std::string, std::string> map;
  for (const auto& [key, item] : value->get_object()) {
    if (!item.is_string()) return wrong(std::string(name) + "." + std::string(key), "a string", item);
    map.emplace(key, item.get_string());
  }
  return std::optional(std::move(map));
}

Result<const JsonObject*> Fields::object(std::string_view name) {
  const Json* value = find(name);
  if (!value) return static_cast<const JsonObject*>(nullptr);
  if (!value->is_object()) return wrong(name, "an object", *value);
  return &value->get_object();
}

const Json* Fields::any(std::string_view name) { return find(name); }

Result<> Fields::no_others() const {
  for (const auto& [key, value] : object_) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::string message = "unknown " + what_ + " \"" + std::string(key.substr(0, 64)) + "\"";
    const std::string meant = meant_name(key, known_);
    if (!meant.empty()) message += " (did you mean \"" + meant + "\"?)";
    return invalid(message + "; known: " + join(known_, ", "));
  }
  return ok;
}

}  // namespace talaria
