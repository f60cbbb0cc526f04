#include "tools/schema.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "base/meant_name.h"
#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

constexpr int deepest = 16;

std::string shown(const Json& value) {
  if (!value.is_string()) return write_json(value);
  const std::string_view text = value.get_string();
  const std::string_view begin = first_characters(text, 60);
  return "\"" + std::string(begin) + (begin.size() < text.size() ? "…" : "") + "\"";
}

// As a person writes it: the library would say 3.5E0.
std::string plain(const Json& number) {
  if (!number.is_double()) return write_json(number);
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number.get_double()).ptr};
}

bool is_whole(const Json& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::floor(value.get_double()) == value.get_double();
}

struct Kind {
  std::string_view type;
  std::string_view wanted;
  bool (*fits)(const Json& value);
};
constexpr Kind kinds[] = {
    {"string", "a string", [](const Json& value) { return value.is_string(); }},
    {"boolean", "true or false", [](const Json& value) { return value.is_bool(); }},
    {"integer", "a whole number", is_whole},
    {"number", "a number",
     [](const Json& value) { return value.is_number() && std::isfinite(value.to_number<double>()); }},
    {"array", "a list", [](const Json& value) { return value.is_array(); }},
    {"object", "an object", [](const Json& value) { return value.is_object(); }},
};

class Checker {
 public:
  explicit Checker(const std::string& what) : what_(what) {}

  Result<> check(const Json& value, const JsonObject& schema, const std::string& name, int depth) const {
    if (depth > deepest) return wrong(name, "nested less deeply");
    if (const Json* any = schema.if_contains("anyOf")) return check_any(value, any->get_array(), name, depth);
    TRY(check_kind(value, schema, name));
    if (value.is_string()) TRY(check_text(value, schema, name));
    if (value.is_number()) TRY(check_range(value, schema, name));
    if (value.is_array()) TRY(check_list(value.get_array(), schema, name, depth));
    if (value.is_object()) TRY(check_fields(value.get_object(), schema, name, depth));
    return ok;
  }

  // Before all else: a parameter under a wrong name must not be told as a missing one.
  Result<> check_names(const JsonObject& object, const JsonObject& properties) const {
    for (const auto& field : object) {
      if (!properties.contains(field.key())) return unknown(std::string(field.key()), field.key(), &properties);
    }
    return ok;
  }

  Result<> check_fields(const JsonObject& object, const JsonObject& schema, const std::string& name, int depth) const {
    const JsonObject* properties = object_or_null(schema, "properties");
    const Json* others = schema.if_contains("additionalProperties");
    for (const auto& [key, value] : object) {
      const std::string full = name.empty() ? std::string(key) : name + "." + std::string(key);
      const Json* known = properties ? properties->if_contains(key) : nullptr;
      if (known && !value.is_null()) TRY(check(value, known->get_object(), full, depth + 1));
      if (known) continue;
      if (others && others->is_object()) TRY(check(value, others->get_object(), full, depth + 1));
      if (others && others->is_bool() && !others->get_bool()) return unknown(full, key, properties);
    }
    const Json* required = schema.if_contains("required");
    if (!required) return ok;
    for (const Json& key : required->get_array()) {
      const Json* value = object.if_contains(key.get_string());
      if (value && !value->is_null()) continue;
      return invalid(what_ + " \"" + (name.empty() ? "" : name + ".") + std::string(key.get_string()) +
                     "\" is missing");
    }
    return ok;
  }

 private:
  Error wrong(const std::string& name, const std::string& wanted) const {
    return invalid(what_ + " \"" + name.substr(0, 100) + "\" must be " + wanted);
  }
  Error wrong(const std::string& name, const std::string& wanted, const std::string& got) const {
    return wrong(name, wanted + ", got " + got);
  }

  Error unknown(const std::string& full, std::string_view key, const JsonObject* properties) const {
    std::vector<std::string> known;
    if (properties) {
      for (const auto& property : *properties) known.emplace_back(property.key());
    }
    const std::string meant = meant_name(key, known);
    return invalid("unknown " + what_ + " \"" + std::string(first_characters(full, 60)) + "\"" +
                   (meant.empty() ? "" : " (did you mean \"" + meant + "\"?)") + "; known: " + join(known, ", "));
  }

  Result<> check_kind(const Json& value, const JsonObject& schema, const std::string& name) const {
    const std::string type = text_or(schema, "type");
    for (const Kind& kind : kinds) {
      if (kind.type == type && !kind.fits(value)) {
        const bool broken = type == "integer" && value.is_number();  // 3.5 is a number, and yet no whole one
        return wrong(name, std::string(kind.wanted), broken ? plain(value) : std::string(kind_name(value)));
      }
    }
    return ok;
  }

  Result<> check_text(const Json& value, const JsonObject& schema, const std::string& name) const {
    if (const Json* choices = schema.if_contains("enum")) {
      std::vector<std::string> words;
      for (const Json& word : choices->get_array()) {
        if (word == value) return ok;
        words.emplace_back(word.get_string());
      }
      const std::string meant = value.is_string() ? did_you_mean(value.get_string(), words) : "";
      return wrong(name, "one of " + join(words, ", "), shown(value) + meant);
    }
    const auto length = static_cast<int64_t>(value.get_string().size());
    if (length < integer_or(schema, "minLength", 0)) return wrong(name, "a text that is not empty");
    const int64_t most = integer_or(schema, "maxLength", INT64_MAX);
    if (length > most) {
      return wrong(name, "at most " + with_commas(static_cast<uint64_t>(most)) + " bytes long",
                   with_commas(static_cast<uint64_t>(length)));
    }
    return ok;
  }

  Result<> check_range(const Json& value, const JsonObject& schema, const std::string& name) const {
    const Json* least = schema.if_contains("minimum");
    const Json* most = schema.if_contains("maximum");
    const double number = value.to_number<double>();
    const bool low = least && number < least->to_number<double>();
    const bool high = most && number > most->to_number<double>();
    if (!low && !high) return ok;
    std::string range = text_or(schema, "type") == "integer" ? "a whole number" : "a number";
    if (least && most) range += " from " + plain(*least) + " to " + plain(*most);
    else range += least ? " of at least " + plain(*least) : " of at most " + plain(*most);
    return wrong(name, range, plain(value));
  }

  Result<> check_list(const JsonArray& list, const JsonObject& schema, const std::string& name, int depth) const {
    const auto count = static_cast<int64_t>(list.size());
    const int64_t least = integer_or(schema, "minItems", 0), most = integer_or(schema, "maxItems", INT64_MAX);
    if (count < least) return wrong(name, "a list that is not empty");
    if (count > most) return wrong(name, "a list of at most " + std::to_string(most), std::to_string(count));
    const JsonObject* items = object_or_null(schema, "items");
    if (!items) return ok;
    for (size_t at = 0; at < list.size(); ++at) {
      TRY(check(list[at], *items, name + "[" + std::to_string(at) + "]", depth + 1));
    }
    return ok;
  }

  Result<> check_any(const Json& value, const JsonArray& schemas, const std::string& name, int depth) const {
    std::vector<std::string> wanted;
    for (const Json& schema : schemas) {
      if (check(value, schema.get_object(), name, depth + 1)) return ok;
      for (const Kind& kind : kinds) {
        if (kind.type == text_or(schema.get_object(), "type")) wanted.emplace_back(kind.wanted);
      }
    }
    return wrong(name, join(wanted, " or "), std::string(kind_name(value)));
  }

  const std::string& what_;
};

}  // namespace

JsonObject typed(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

JsonObject one_of(std::initializer_list<std::string_view> values, std::string_view description) {
  JsonObject schema = typed("string", description);
  schema["enum"] = JsonArray(values.begin(), values.end());
  return schema;
}

JsonObject whole_number(int64_t least, int64_t most, std::string_view description) {
  JsonObject schema = typed("integer", description);
  schema["minimum"] = least;
  schema["maximum"] = most;
  return schema;
}

JsonObject list_of_texts(std::string_view description) {
  JsonObject schema = typed("array", description);
  schema["items"] = JsonObject{{"type", "string"}};
  return schema;
}

Result<> check_names(const JsonObject& object, const JsonObject& properties, const std::string& what) {
  return Checker(what).check_names(object, properties);
}

Result<> check_object(const JsonObject& object, const JsonObject& schema, const std::string& what) {
  const Json* others = schema.if_contains("additionalProperties");
  const JsonObject* properties = object_or_null(schema, "properties");
  if (properties && others && *others == Json(false)) TRY(check_names(object, *properties, what));
  return Checker(what).check_fields(object, schema, "", 0);
}

}  // namespace talaria
