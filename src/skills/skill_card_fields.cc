#include "skills/skill_card_fields.h"

#include <algorithm>

#include "base/text.h"
#include "skills/skill_card_text.h"

namespace talaria {

namespace {

const JsonObject& no_fields() {
  static const JsonObject none;
  return none;
}

const Json* find(const JsonObject& map, std::string_view key) {
  const auto field = map.find(key);
  return field == map.end() ? nullptr : &field->value();
}

std::string_view view(const Json& text) { return {text.get_string().data(), text.get_string().size()}; }

std::string joined(const Json& value) {
  std::vector<std::string> parts;
  if (const JsonArray* list = value.if_array()) {
    for (const Json& item : *list) parts.push_back(scalar_text(item).value_or(joined(item)));
  } else if (const JsonObject* map = value.if_object()) {
    for (const auto& [key, item] : *map) {
      const std::string inner = scalar_text(item).value_or(joined(item));
      parts.push_back(inner.empty() ? std::string(key) : std::string(key) + ": " + inner);
    }
  }
  std::erase(parts, "");
  return join(parts, ", ");
}

}  // namespace

std::optional<std::string> scalar_text(const Json& value) {
  if (value.is_string()) return std::string(view(value));
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  return std::nullopt;
}

void CardFields::say(Severity severity, std::string_view key, std::string message) {
  diagnostics_.push_back({severity, lines_.of(key), std::string(key) + ": " + message});
}

std::string CardFields::text(const JsonObject& map, std::string_view key) {
  const Json* value = find(map, key);
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return one_line(view(*value));
  return one_line(scalar_text(*value).value_or(joined(*value)));
}

std::string CardFields::text(const JsonObject& map, std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) {
    if (std::string found = text(map, key); !found.empty()) return found;
  }
  return {};
}

std::vector<std::string> CardFields::names(const JsonObject& map, std::string_view key, Split split) {
  const Json* value = find(map, key);
  std::vector<std::string> names;
  if (value == nullptr || value->is_null()) return names;
  if (value->is_string()) return split == Split::at_blanks ? split_words(view(*value)) : split_names(view(*value));
  const JsonArray* list = value->if_array();
  if (list == nullptr) {
    warn(key, "expects a list of names, not " + std::string(kind_name(*value)) + "; ignored");
    return names;
  }
  for (const Json& item : *list) {
    std::string name = one_line(scalar_text(item).value_or(""));
    if (!name.empty()) names.push_back(std::move(name));
    else if (!item.is_string()) warn(key, "expects names, not " + std::string(kind_name(item)) + "; ignored");
  }
  return names;
}

std::vector<std::string> CardFields::tool_names(const JsonObject& map, std::string_view key) {
  const Json* value = find(map, key);
  if (value == nullptr) return {};
  if (value->is_null() || value->is_bool()) {
    warn(key, "expects names, not " + std::string(kind_name(*value)) + "; ignored");
    return {};
  }
  std::vector<std::string> found = names(map, key);
  const auto is_boolean = [&](const std::string& name) {
    if (name != "true" && name != "false") return false;
    warn(key, "expects names, not " + name + "; ignored");
    return true;
  };
  std::erase_if(found, is_boolean);
  return found;
}

bool CardFields::flag(const JsonObject& map, std::string_view key, bool fallback) {
  const Json* value = find(map, key);
  if (value == nullptr || value->is_null()) return fallback;
  const std::string word = lower(trim(scalar_text(*value).value_or("")));
  if (word == "true" || word == "yes" || word == "on" || word == "1") return true;
  if (word == "false" || word == "no" || word == "off" || word == "0") return false;
  warn(key, "expects true or false; ignored");
  return fallback;
}

const JsonObject& CardFields::map(const JsonObject& outer, std::string_view key) {
  const Json* value = find(outer, key);
  if (value == nullptr || value->is_null()) return no_fields();
  if (const JsonObject* map = value->if_object()) return *map;
  if (value->is_string()) {
    if (Result<JsonObject> parsed = parse_json_object(view(*value))) {
      return *parsed_.emplace_back(std::make_unique<JsonObject>(std::move(*parsed)));
    }
  }
  warn(key, "expects a map, not " + std::string(kind_name(*value)) + "; ignored");
  return no_fields();
}

std::vector<JsonObject> CardFields::maps(const JsonObject& outer, std::string_view key, std::string_view key_of_text) {
  const Json* value = find(outer, key);
  if (value == nullptr || value->is_null()) return {};
  std::vector<JsonObject> maps;
  const auto add = [&](const Json& item) {
    if (const JsonObject* map = item.if_object()) maps.push_back(*map);
    else if (item.is_string()) maps.push_back({{key_of_text, item}});
    else warn(key, "expects maps or names, not " + std::string(kind_name(item)) + "; ignored");
  };
  const JsonArray* list = value->if_array();
  if (list != nullptr) std::for_each(list->begin(), list->end(), add);
  else if (value->is_string()) {
    for (const std::string& name : split_names(view(*value))) add(Json(name));
  } else {
    add(*value);
  }
  return maps;
}

}  // namespace talaria
