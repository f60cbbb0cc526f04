#include "config/keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "base/meant_name.h"
#include "base/text.h"
#include "config/profiles.h"
#include "yaml/yaml_text.h"

namespace talaria {

namespace {

using TextMap = std::map<std::string, std::string>;

// What the person wrote, for an error message.
std::string shown(const YamlDocument& document, const YamlNode& node) {
  if (node.tagged) return "a value with a YAML tag (remove the tag)";
  switch (node.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::sequence: return "a list";
    case YamlNode::Kind::mapping: return "a section";
    case YamlNode::Kind::alias: return shown(document, document.node(document.resolve(node.target)));
    case YamlNode::Kind::scalar: break;
  }
  const bool is_long = node.text.size() > 60;
  size_t cut = is_long ? 60 : node.text.size();
  while (is_long && cut > 0 && (node.text[cut] & 0xC0) == 0x80) --cut;
  return "\"" + node.text.substr(0, cut) + (is_long ? "…" : "") + "\"";
}

Error wrong_value(const ConfigKey& key, const YamlDocument& document, const YamlNode& node,
                  std::string_view hint = {}) {
  return invalid(std::string(key.name) + " must be " + expected_value(key) + ", got " + shown(document, node) +
                 std::string(hint));
}

template <class Number>
std::optional<Number> whole(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Number>
Result<Number> read_number(const ConfigKey& key, const YamlDocument& document, const YamlNode& node) {
  const std::optional<Number> value = whole<Number>(node.text);
  // Written so that not-a-number fails too.
  const bool fits = value && *value >= static_cast<Number>(key.least) && *value <= static_cast<Number>(key.most);
  if (!fits) return wrong_value(key, document, node);
  if (node.style != YamlNode::Style::plain) return wrong_value(key, document, node, " in quotes (remove them)");
  return *value;
}

Result<bool> read_boolean(const ConfigKey& key, const YamlDocument& document, const YamlNode& node) {
  const std::optional<bool> value = boolean_of(node.text);
  if (!value) return wrong_value(key, document, node);
  if (node.style != YamlNode::Style::plain) return wrong_value(key, document, node, " in quotes (remove them)");
  return *value;
}

// "landlock-N" among the choices stands for landlock-1, landlock-2, …
bool is_choice(const ConfigKey& key, std::string word) {
  const size_t digits = word.find_last_not_of("0123456789") + 1;
  if (word.ends_with("-N")) return false;
  if (digits > 0 && digits < word.size() && word[digits - 1] == '-') word.replace(digits, std::string::npos, "N");
  const std::vector<std::string> words = split(key.choices, '|');
  return std::find(words.begin(), words.end(), word) != words.end();
}

Result<JsonArray> read_list(const ConfigKey& key, const YamlDocument& document, const YamlNode& node) {
  JsonArray values;
  if (node.kind == YamlNode::Kind::scalar && node.text.empty()) return wrong_value(key, document, node);
  if (node.kind == YamlNode::Kind::scalar) values.emplace_back(node.text);
  for (size_t item : node.items) {
    const YamlNode& value = document.node(document.resolve(item));
    const bool text = value.kind == YamlNode::Kind::scalar && !value.tagged && !value.text.empty();
    const bool good = text && (key.choices.empty() || is_choice(key, value.text));
    if (!good) return wrong_value(key, document, value, " as item " + std::to_string(values.size() + 1));
    values.emplace_back(value.text);
  }
  return values;
}

// A number of bytes, or a text such as 512M that stays as it was written.
Result<Json> read_amount(const ConfigKey& key, const YamlDocument& document, const YamlNode& node) {
  const size_t digits = std::min(node.text.find_first_not_of("0123456789"), node.text.size());
  if (digits == 0) return wrong_value(key, document, node);
  if (digits == node.text.size()) {
    const std::optional<int64_t> number = whole<int64_t>(node.text);
    if (!number) return wrong_value(key, document, node);
    return Json(*number);
  }
  const std::string unit = lower(trim(std::string_view(node.text).substr(digits)));
  const bool known =
      unit.find_first_of("kmgt") == 0 && (unit.size() == 1 || unit.substr(1) == "b" || unit.substr(1) == "ib");
  if (!known || digits > 15) return wrong_value(key, document, node);
  return Json(node.text);
}

std::string number_text(double number) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  std::string text(buffer, end);
  if (text.find('e') == std::string::npos) return text;
  const auto [fixed_end, fixed_error] = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed);
  return fixed_error == std::errc() ? std::string(buffer, fixed_end) : text;
}

JsonObject object_of(const TextMap& values) {
  JsonObject object;
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

// A whole number without an exponent, as it is written in the file.
Json number_json(double number) {
  if (std::trunc(number) == number && std::abs(number) < 1e15) return static_cast<int64_t>(number);
  return number;
}

// "A, B or C" (for a text_list and a text: "A, B, C").
std::string alternatives(const ConfigKey& key) {
  std::vector<std::string> words = split(key.choices, '|');
  if (key.kind == KeyKind::text) return join(words, ", ");
  const std::string last = words.back();
  words.pop_back();
  return join(words, ", ") + " or " + last;
}

}  // namespace

std::optional<bool> boolean_of(std::string_view word) {
  const std::string small = lower(word);
  if (small == "true" || small == "yes" || small == "on") return true;
  if (small == "false" || small == "no" || small == "off") return false;
  return std::nullopt;
}

const ConfigKey* find_config_key(std::string_view name) {
  const std::span<const ConfigKey> keys = config_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const ConfigKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

bool is_config_section(std::string_view name) {
  const std::span<const ConfigKey> keys = config_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& key) {
    return key.name.size() > name.size() && key.name.starts_with(name) && key.name[name.size()] == '.';
  });
}

std::string suggest_key(std::string_view name) {
  std::string section;
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    if (is_config_section(name.substr(0, dot))) section = name.substr(0, dot + 1);
  }
  std::vector<std::string> candidates;
  for (const ConfigKey& key : config_keys()) {
    if (!key.name.starts_with(section)) continue;
    const std::string rest(key.name.substr(section.size()));
    candidates.push_back(rest);
    if (const size_t dot = rest.find('.'); dot != std::string::npos) candidates.push_back(rest.substr(0, dot));
  }
  const std::vector<std::string> near = nearest(name.substr(section.size()), candidates, 1);
  return near.empty() ? "" : section + near.front();
}

std::string flow_text(const Json& value) {
  std::vector<std::string> parts;
  if (const JsonArray* list = value.if_array()) {
    for (const Json& item : *list) parts.push_back(flow_text(item));
    return "[" + join(parts, ", ") + "]";
  }
  if (const JsonObject* object = value.if_object()) {
    for (const auto& [name, item] : *object) parts.push_back(yaml_scalar(name) + ": " + flow_text(item));
    return "{" + join(parts, ", ") + "}";
  }
  return value.is_string() ? yaml_scalar(value.get_string()) : write_json(value);
}

std::string expected_value(const ConfigKey& key) {
  const std::string range = " from " + std::to_string(key.least) + " to " + std::to_string(key.most);
  switch (key.kind) {
    case KeyKind::boolean: return "true or false";
    case KeyKind::integer: return "a whole number" + range;
    case KeyKind::number: return "a number" + range;
    case KeyKind::text: return key.choices.empty() ? "a text" : alternatives(key) + " or a name below sandbox.profiles";
    case KeyKind::text_list:
      return key.choices.empty() ? "a list of texts such as [A, B]" : "a list of any of " + alternatives(key);
    case KeyKind::text_or_list: return "a text, or a list of texts such as [A, B]";
    case KeyKind::amount: return "a whole number, 0 for no limit, or an amount such as 512M or 2G";
    case KeyKind::profiles: return "a section with one key for each profile";
    case KeyKind::skill_config: return "a section with any keys";
    case KeyKind::choice: break;
  }
  return "one of " + alternatives(key);
}

std::string value_text(const ConfigKey& key, const Settings& settings) {
  Settings copy = settings;
  return std::visit(
      [&key](const auto* value) -> std::string {
        using T = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<T, bool>) return *value ? "true" : "false";
        else if constexpr (std::is_same_v<T, int64_t>) return std::to_string(*value);
        else if constexpr (std::is_same_v<T, double>) return number_text(*value);
        else if constexpr (std::is_same_v<T, std::string>) return *value;
        else if constexpr (std::is_same_v<T, std::optional<int64_t>>)
          return std::to_string(value->value_or(key.otherwise));
        else if constexpr (std::is_same_v<T, JsonObject>) return flow_text(*value);
        else if constexpr (std::is_same_v<T, TextMap>) return flow_text(object_of(*value));
        else return flow_text(JsonArray(value->begin(), value->end()));
      },
      key.field(copy));
}

Json value_json(const ConfigKey& key, const Settings& settings) {
  Settings copy = settings;
  return std::visit(
      [&key](const auto* value) -> Json {
        using T = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<T, std::vector<std::string>>) return JsonArray(value->begin(), value->end());
        else if constexpr (std::is_same_v<T, TextMap>) return object_of(*value);
        else if constexpr (std::is_same_v<T, std::optional<int64_t>>) return value->value_or(key.otherwise);
        else if constexpr (std::is_same_v<T, double>) return number_json(*value);
        else return Json(*value);
      },
      key.field(copy));
}

std::string default_text(const ConfigKey& key) { return value_text(key, Settings{}); }

Result<Json> read_value(const ConfigKey& key, const YamlDocument& document, size_t index) {
  const YamlNode& node = document.node(document.resolve(index));
  const bool list = node.kind == YamlNode::Kind::sequence;
  const bool takes_list = key.kind == KeyKind::text_list || key.kind == KeyKind::text_or_list;
  const bool takes_text = key.kind != KeyKind::text_list && key.kind != KeyKind::profiles &&
                          key.kind != KeyKind::skill_config && node.kind == YamlNode::Kind::scalar;
  if (node.tagged || !(list ? takes_list : takes_text)) return wrong_value(key, document, node);
  switch (key.kind) {
    case KeyKind::boolean: return Json(TRY(read_boolean(key, document, node)));
    case KeyKind::number: return Json(TRY(read_number<double>(key, document, node)));
    case KeyKind::integer: return Json(TRY(read_number<int64_t>(key, document, node)));
    case KeyKind::amount: return read_amount(key, document, node);
    case KeyKind::text_or_list:
    case KeyKind::text_list: return Json(TRY(read_list(key, document, node)));
    case KeyKind::choice:
      if (!is_choice(key, node.text)) {
        return wrong_value(key, document, node, did_you_mean(node.text, split(key.choices, '|')));
      }
      return Json(node.text);
    case KeyKind::text:
      if (node.text.empty()) return wrong_value(key, document, node);
      return Json(node.text);
    case KeyKind::profiles:
    case KeyKind::skill_config: break;  // sections, which are read where they are
  }
  return Json();
}

Result<> store_value(const ConfigKey& key, const YamlDocument& document, size_t index, Settings& settings) {
  const Json value = TRY(read_value(key, document, index));
  std::visit(
      [&value](auto* field) {
        using T = std::remove_cvref_t<decltype(*field)>;
        if constexpr (std::is_same_v<T, bool>) *field = value.get_bool();
        else if constexpr (std::is_same_v<T, double>) *field = value.get_double();
        else if constexpr (std::is_same_v<T, std::string>) *field = std::string_view(value.get_string());
        else if constexpr (std::is_same_v<T, JsonObject>) *field = value.get_object();
        else if constexpr (std::is_same_v<T, TextMap>) field->clear();  // see read_skill_config
        else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          field->clear();
          for (const Json& item : value.get_array()) field->emplace_back(item.get_string());
        } else *field = value.get_int64();
      },
      key.field(settings));
  return ok;
}

Result<std::vector<std::string>> config_path(std::string_view key) {
  std::vector<std::string> path = split(key, '.');
  const bool empty =
      std::any_of(path.begin(), path.end(), [](const std::string& name) { return trim(name) != name || name.empty(); });
  if (empty || path.size() > 16 || key.size() > 500 || find_text_problem(key)) {
    return invalid("\"" + std::string(key.substr(0, 80)) +
                   "\" is not a key; keys are names joined by dots, such as exec.timeout");
  }
  return path;
}

}  // namespace talaria
