#include "config/edit.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "config/compare.h"
#include "config/flow.h"
#include "config/keys.h"
#include "config/profiles.h"
#include "config/skill_config.h"
#include "config/splice.h"
#include "yaml/yaml.h"
#include "yaml/yaml_text.h"

namespace talaria {

namespace {

using Kind = YamlNode::Kind;
using Path = std::vector<std::string>;

// A value as it will stand in the file, and what YAML reads it as.
struct NewValue {
  std::string written;
  YamlDocument document;
};

bool is_list_of_texts(const YamlDocument& document) {
  const YamlNode& root = document.root();
  const auto plain = [](const YamlNode& node) { return node.anchor.empty() && !node.tagged; };
  return root.kind == Kind::sequence && plain(root) &&
         std::all_of(root.items.begin(), root.items.end(), [&](size_t item) {
           return document.node(item).kind == Kind::scalar && plain(document.node(item));
         });
}

// What an item is from its first byte to the comma or bracket that ends it; a ${NAME} is taken whole.
size_t item_end(std::string_view list, size_t start) {
  const char quote = list[start] == '"' || list[start] == '\'' ? list[start] : '\0';
  size_t at = start + (quote != '\0' ? 1 : 0);
  for (; quote != '\0' && at < list.size() && list[at] != quote; ++at) at += quote == '"' && list[at] == '\\' ? 1 : 0;
  while (at < list.size() && list[at] != ',' && list[at] != ']') {
    const size_t close = list.substr(at).starts_with("${") ? list.find_first_of("},]", at) : std::string_view::npos;
    at = close != std::string_view::npos && list[close] == '}' ? close + 1 : at + 1;
  }
  return std::min(at, list.size());
}

// Not what YAML has a meaning for, beside the braces.
bool is_path_with_variable(std::string_view item) {
  const size_t open = item.find("${");
  return open != std::string_view::npos && item.find('}', open) != std::string_view::npos &&
         item.find_first_of("'\":#") == std::string_view::npos &&
         std::string_view("{&*!|>%@`?").find(item.front()) == std::string_view::npos;
}

// A list as typed, [~/a, ${B}/c], where { would begin a section: items that hold a ${NAME} are put into quotes.
std::string with_quoted_variables(std::string_view list) {
  if (list.find_first_of("\r\n") != std::string_view::npos) return std::string(list);
  std::string quoted;
  for (size_t at = 0; at < list.size();) {
    if (list[at] == '[' || list[at] == ']' || list[at] == ',' || is_yaml_blank(list[at])) {
      quoted += list[at++];
      continue;
    }
    const size_t end = item_end(list, at);
    const std::string_view item = trim(list.substr(at, end - at));
    quoted += is_path_with_variable(item) ? "'" + std::string(item) + "'" : std::string(item);
    quoted += list.substr(at + item.size(), end - at - item.size());
    at = end;
  }
  return quoted;
}

Result<NewValue> read_list(std::string_view list) {
  const std::string typed = with_quoted_variables(list);
  Result<YamlDocument> document = YamlDocument::parse(typed);
  // One line, so that it stands in any place; nothing after it, so that no comment slips in.
  const bool good = document && typed.find('\n') == std::string::npos && is_list_of_texts(*document) &&
                    document->root().end == typed.size();
  if (!good) {
    const bool stars = typed.find('*') != std::string::npos;
    return invalid("\"" + std::string(list) + "\" is not a list of texts such as [A, B]" +
                   (stars ? "; what begins with * needs quotes of its own: \"['*.pem']\"" : ""));
  }
  return NewValue{typed, std::move(*document)};
}

// Exactly what was typed, whatever it looks like.
Result<NewValue> read_text(std::string_view typed) {
  std::string written = yaml_scalar(typed);
  Result<YamlDocument> document = YamlDocument::parse(written);
  if (!document || document->root().kind != Kind::scalar || document->root().text != typed) {
    return invalid("the value cannot be written as YAML text");
  }
  return NewValue{std::move(written), std::move(*document)};
}

Result<NewValue> read_typed(std::string_view key, std::string_view value) {
  const std::string_view typed = trim(value);
  const ConfigKey* known = find_config_key(key);
  const std::optional<bool> boolean = known && known->kind == KeyKind::boolean ? boolean_of(typed) : std::nullopt;
  if (boolean) return read_text(*boolean ? "true" : "false");  // the words that every YAML has
  if (is_yaml_null(typed)) return invalid("the value is empty; use unset to remove a key, or \"\" for an empty text");
  if (typed.front() == '[') return read_list(typed);
  if (typed.front() == '{') return invalid("a section cannot be set at once; set its keys one by one");
  if (typed.front() == '"' || typed.front() == '\'') {
    Result<YamlDocument> quoted = YamlDocument::parse(typed);
    const bool whole = quoted && quoted->root().kind == Kind::scalar && quoted->root().end == typed.size() &&
                       quoted->root().style == YamlNode::Style::quoted && typed.find('\n') == std::string_view::npos;
    if (whole) return NewValue{std::string(typed), std::move(*quoted)};
  }
  return read_text(typed);
}

Result<> check_known(std::string_view key, const NewValue& value) {
  if (const ConfigKey* known = find_config_key(key)) {
    Settings scratch;
    return store_value(*known, value.document, value.document.root_index(), scratch);
  }
  if (is_config_section(key)) return invalid(std::string(key) + " is a section; set one of its keys");
  if (is_below_skill_config(key)) return ok;
  if (is_below_profiles(key)) return check_profile_key(key, value.document, value.document.root_index());
  for (size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.', dot + 1)) {
    const ConfigKey* outer = find_config_key(key.substr(0, dot));
    if (outer != nullptr) {
      return invalid(std::string(outer->name) + " is a single value (" + expected_value(*outer) +
                     ") and holds no keys");
    }
  }
  return ok;
}

// A profile of a person's own must be there before it is chosen.
Result<> check_profile_choice(std::string_view text, const YamlDocument& document, std::string_view chosen) {
  Settings settings;
  settings.sandbox.profile = chosen;
  const YamlNode* node = document.at({"sandbox", "profiles"});
  if (node) {
    const size_t index = static_cast<size_t>(node - document.nodes().data());
    settings.sandbox.custom_profiles = TRY(read_profiles(text, document, index));
  }
  return check_profile_exists(settings.sandbox);
}

Error damage(std::string_view key) {
  return {ErrorCode::conflict,
          "cannot change " + std::string(key) + " without changing something else in the file; edit the file by hand"};
}

bool same_value(const YamlNode& a, const YamlDocument& a_document, const NewValue& b) {
  const YamlNode& root = b.document.root();
  if (a.kind != root.kind || a.text != root.text || a.items.size() != root.items.size()) return false;
  for (size_t i = 0; i < a.items.size(); ++i) {
    if (a_document.node(a.items[i]).text != b.document.node(root.items[i]).text) return false;
  }
  return true;
}

}  // namespace

Result<std::string> set_key(std::string_view text, std::string_view key, std::string_view value) {
  const Path path = TRY(config_path(key));
  const NewValue wanted = TRY(is_below_skill_config(key) ? read_text(value) : read_typed(key, value));
  TRY(check_known(key, wanted));
  const YamlDocument before = TRY(YamlDocument::parse(text));
  if (key == "sandbox.profile") TRY(check_profile_choice(text, before, wanted.document.root().text));
  std::string result = apply_splices(text, TRY(plan_set(before, text, path, wanted.written)));
  const Result<YamlDocument> after = YamlDocument::parse(result);
  if (!after) return damage(key);
  const YamlNode* now = after->at(path);
  if (now == nullptr || !same_value(*now, *after, wanted)) return damage(key);
  if (!same_but(before, *after, path)) return damage(key);
  return result;
}

Result<std::string> unset_key(std::string_view text, std::string_view key) {
  const Path path = TRY(config_path(key));
  const YamlDocument before = TRY(YamlDocument::parse(text));
  std::string result = apply_splices(text, TRY(plan_unset(before, text, path)));
  if (result == text) return result;
  const Result<YamlDocument> after = YamlDocument::parse(result);
  if (!after || after->at(path) != nullptr) return damage(key);
  if (!same_but(*after, before, path)) return damage(key);
  return result;
}

Result<std::optional<std::string>> get_key(std::string_view text, std::string_view key) {
  const Path path = TRY(config_path(key));
  const YamlDocument document = TRY(YamlDocument::parse(text));
  const YamlNode* node = document.at(path);
  if (node == nullptr || node->kind == Kind::null) return std::optional<std::string>();
  if (node->kind == Kind::scalar) return std::optional(node->text);
  std::string shown = flow_of(document, static_cast<size_t>(node - document.nodes().data()));
  if (shown.size() > longest_flow) return invalid(std::string(key) + " is too long to show on one line");
  return std::optional(shown);
}

}  // namespace talaria
