#include "json/json.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/unseen.h"
#include "base/utf8.h"

namespace talaria {
namespace {

std::string place_of(std::string_view text, size_t offset) {
  size_t line = 1, column = 1;
  for (char c : text.substr(0, offset)) {
    if (c == '\n') ++line, column = 1;
    else ++column;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

bool has_fraction(const Json& value) {
  if (value.is_double()) return true;
  if (const JsonArray* list = value.if_array()) return std::any_of(list->begin(), list->end(), has_fraction);
  const JsonObject* map = value.if_object();
  return map && std::any_of(map->begin(), map->end(), [](const auto& field) { return has_fraction(field.value()); });
}

// 0.02 as a person writes it: the library would say 2E-2.
void write_number(double number, std::string& out) {
  char text[32];
  const std::string_view shortest(text, std::to_chars(text, text + sizeof text, number).ptr);
  out += shortest;
  // Still a number with a fraction for who reads it.
  if (shortest.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void write_plain(const Json& value, std::string& out) {
  if (value.is_double()) return write_number(value.get_double(), out);
  if (!has_fraction(value)) {
    out += boost::json::serialize(value);
    return;
  }
  const char* separator = "";
  const JsonObject* map = value.if_object();
  out += map ? '{' : '[';
  if (map) {
    for (const auto& [key, item] : *map) {
      out += std::exchange(separator, ",");
      out += boost::json::serialize(boost::json::string(key)) + ":";
      write_plain(item, out);
    }
  } else {
    for (const Json& item : value.get_array()) {
      out += std::exchange(separator, ",");
      write_plain(item, out);
    }
  }
  out += map ? '}' : ']';
}

void write_pretty(const Json& value, std::string& out, size_t depth) {
  const auto indent = [&](size_t n) { out.append(2 * n, ' '); };
  const bool list = value.is_array() && !value.get_array().empty();
  const bool map = value.is_object() && !value.get_object().empty();
  if (!list && !map) return write_plain(value, out);
  out += list ? "[\n" : "{\n";
  const char* separator = "";
  const auto next = [&] {
    out += separator;
    separator = ",\n";
    indent(depth + 1);
  };
  if (list) {
    for (const Json& item : value.get_array()) next(), write_pretty(item, out, depth + 1);
  } else {
    for (const auto& [key, item] : value.get_object()) {
      next();
      out += boost::json::serialize(boost::json::string(key)) + ": ";
      write_pretty(item, out, depth + 1);
    }
  }
  out += '\n';
  indent(depth);
  out += list ? ']' : '}';
}

// The library reads 1e400 as infinity and would write that as a word that is no JSON.
bool all_finite(const Json& value) {
  if (value.is_double()) return std::isfinite(value.get_double());
  if (const JsonArray* list = value.if_array()) return std::all_of(list->begin(), list->end(), all_finite);
  const JsonObject* map = value.if_object();
  return !map || std::all_of(map->begin(), map->end(), [](const auto& field) { return all_finite(field.value()); });
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = 64;
  boost::json::stream_parser parser({}, options);
  boost::json::error_code failure;
  size_t used = parser.write_some(text.data(), text.size(), failure);
  if (!failure && used < text.size()) failure = boost::json::error::extra_data;
  if (!failure) parser.finish(failure);
  if (failure) return invalid("not valid JSON at " + place_of(text, used) + ": " + failure.message());
  Json value = parser.release();
  if (!all_finite(value)) return invalid("not valid JSON here: it holds a number too large to be one, such as 1e400");
  return value;
}

std::optional<std::string> find_broken_text(const Json& value) {
  if (const auto* text = value.if_string()) {
    return is_utf8(std::string_view(text->data(), text->size())) ? std::nullopt : std::optional<std::string>("");
  }
  if (const JsonArray* list = value.if_array()) {
    for (size_t i = 0; i < list->size(); ++i) {
      if (const auto found = find_broken_text((*list)[i])) return "[" + std::to_string(i) + "]" + *found;
    }
    return std::nullopt;
  }
  const JsonObject* map = value.if_object();
  return map == nullptr ? std::nullopt : find_broken_text(*map);
}

std::optional<std::string> find_broken_text(const JsonObject& object) {
  for (const auto& field : object) {
    const std::string name(field.key());
    if (!is_utf8(name)) return terminal_text(name);
    const auto found = find_broken_text(field.value());
    if (found) return found->empty() || found->starts_with('[') ? name + *found : name + "." + *found;
  }
  return std::nullopt;
}

Result<JsonObject> parse_json_object(std::string_view text) {
  Json value = TRY(parse_json(text));
  if (!value.is_object()) return invalid("expected a JSON object, got " + std::string(kind_name(value)));
  return std::move(value.get_object());
}

std::string write_json(const Json& value) {
  std::string out;
  write_plain(value, out);
  return out;
}

std::string write_json_pretty(const Json& value) {
  std::string out;
  write_pretty(value, out, 0);
  return out;
}

std::string_view kind_name(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return "null";
    case boost::json::kind::bool_: return "a boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_: return "a number";
    case boost::json::kind::string: return "a string";
    case boost::json::kind::array: return "a list";
    case boost::json::kind::object: return "an object";
  }
  return "a value";
}

std::string text_or(const JsonObject& object, std::string_view name, std::string_view fallback) {
  const Json* value = object.if_contains(name);
  return std::string(value && value->is_string() ? std::string_view(value->get_string()) : fallback);
}

int64_t integer_or(const JsonObject& object, std::string_view name, int64_t fallback) {
  const Json* value = object.if_contains(name);
  if (!value) return fallback;
  boost::json::error_code failure;
  const int64_t number = value->to_number<int64_t>(failure);
  return failure ? fallback : number;
}

bool boolean_or(const JsonObject& object, std::string_view name, bool fallback) {
  const Json* value = object.if_contains(name);
  return value && value->is_bool() ? value->get_bool() : fallback;
}

const JsonObject* object_or_null(const JsonObject& object, std::string_view name) {
  const Json* value = object.if_contains(name);
  return value ? value->if_object() : nullptr;
}

}  // namespace talaria
