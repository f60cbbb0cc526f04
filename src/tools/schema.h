#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "json/json.h"

namespace talaria {

inline constexpr int64_t longest_path_parameter = 4095;

// Schemas of parameters, in the words of JSON Schema that our tools use: type, enum, minimum, maximum, minLength,
// maxLength, items, minItems, maxItems, properties, required, additionalProperties and anyOf.
JsonObject typed(std::string_view type, std::string_view description);
JsonObject one_of(std::initializer_list<std::string_view> values, std::string_view description);
JsonObject whole_number(int64_t least, int64_t most, std::string_view description);
JsonObject list_of_texts(std::string_view description);

// Whether an object fits a schema of type object. `what` names its fields in the error, which names the one that does
// not fit, what it should be and what it is: `read_file parameter "limit" must be a whole number, got a string`.
// A field that is null counts as absent.
// An unknown field is named before anything else is looked at, with the one that was meant and all that there are.
Result<> check_object(const JsonObject& object, const JsonObject& schema, const std::string& what);

// Only that: whether an object has no other fields than these, for tools that read their arguments themselves.
Result<> check_names(const JsonObject& object, const JsonObject& properties, const std::string& what);

}  // namespace talaria
