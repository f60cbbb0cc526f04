#pragma once
// The one place that knows the JSON library. Everyone else says Json.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

// Parses exactly one JSON text. Depth is capped at 64; the error names line and column.
Result<Json> parse_json(std::string_view text);
Result<JsonObject> parse_json_object(std::string_view text);

// One line. Strings must be valid UTF-8 already: the library writes broken bytes through.
std::string write_json(const Json& value);
// For a person: two spaces an indent.
std::string write_json_pretty(const Json& value);

// The first text in `value`, or name of a field, that is not UTF-8 and so cannot be written: where it stands, as in
// "env.PATH" or "urls[2]"; the name of a field stands for itself, as a terminal may be shown it.
std::optional<std::string> find_broken_text(const Json& value);
std::optional<std::string> find_broken_text(const JsonObject& object);

// "a string", "a number", …: what `value` is, for error messages.
std::string_view kind_name(const Json& value);

// Shallow reads of values we wrote ourselves (a peer's reply, a stored row): absent or of another kind gives the
// fallback. For input from outside use Fields.
std::string text_or(const JsonObject& object, std::string_view name, std::string_view fallback = {});
int64_t integer_or(const JsonObject& object, std::string_view name, int64_t fallback = 0);
bool boolean_or(const JsonObject& object, std::string_view name, bool fallback = false);
const JsonObject* object_or_null(const JsonObject& object, std::string_view name);

// Sets the field only when there is a value.
template <class T>
void set_if(JsonObject& object, std::string_view name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

}  // namespace talaria
