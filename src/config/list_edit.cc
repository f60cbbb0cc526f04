#include "config/list_edit.h"

#include <algorithm>
#include <optional>

#include "config/compare.h"
#include "config/edit.h"
#include "config/keys.h"
#include "config/list_splice.h"
#include "config/skill_config.h"
#include "yaml/yaml_text.h"

namespace talaria {
namespace {

using Kind = YamlNode::Kind;
using Path = std::vector<std::string>;
using Texts = std::vector<std::string>;

// The list as it is written now.
struct Written {
  YamlDocument document;
  std::optional<YamlEntry> entry = {};  // absent: nothing, or only null, is written

  const YamlNode& node() const { return document.node(entry->value); }
};

Result<> check_key(std::string_view key) {
  const ConfigKey* known = find_config_key(key);
  const bool takes_list = !known || known->kind == KeyKind::text_list || known->kind == KeyKind::text_or_list;
  if (!takes_list) return invalid(std::string(key) + " holds no list; it is " + expected_value(*known));
  if (is_config_section(key)) return invalid(std::string(key) + " is a section and holds no list");
  if (is_below_skill_config(key)) return invalid(std::string(key) + " holds no list; it is a text");
  return ok;
}

Error aliased(std::string_view key) {
  return {ErrorCode::conflict, "an alias has to do with the value of " + std::string(key) + "; edit the file by hand"};
}

Result<Written> find_list(std::string_view text, std::string_view key, const Path& path) {
  Written written{TRY(YamlDocument::parse(text))};
  const YamlDocument& document = written.document;
  size_t index = document.root_index();
  for (const std::string& name : path) {
    const YamlEntry* entry = document.find(document.node(index), name);
    if (!entry) return Written{std::move(written.document)};
    index = entry->value;
    written.entry = *entry;
    if (document.node(index).kind == Kind::alias) return aliased(key);
  }
  if (document.node(index).kind == Kind::null) written.entry.reset();
  return written;
}

Result<Texts> items_of(std::string_view key, const YamlDocument& document, const YamlNode& node) {
  if (node.kind == Kind::scalar) return Texts{node.text};
  const auto is_text = [&](size_t item) { return document.node(item).kind == Kind::scalar; };
  if (!std::all_of(node.items.begin(), node.items.end(), is_text)) {
    return Error(ErrorCode::conflict, std::string(key) + " holds more than texts; edit the file by hand");
  }
  if (node.kind != Kind::sequence) return invalid(std::string(key) + " is a section and holds no list");
  Texts items;
  for (const size_t item : node.items) items.push_back(document.node(item).text);
  return items;
}

std::string flow_list(const Texts& items) {
  std::string list = "[";
  for (const std::string& item : items) list += (list.size() > 1 ? ", " : "") + yaml_scalar(item);
  return list + "]";
}

// What the edit made must be `wanted` at `path`, valid for its key, and the same as before elsewhere.
Result<std::string> checked(const YamlDocument& before, std::string result, std::string_view key, const Path& path,
                            const Texts& wanted) {
  const Error damage(ErrorCode::conflict, "cannot change " + std::string(key) +
                                              " without changing something else in the file; edit the file by hand");
  const Result<YamlDocument> after = YamlDocument::parse(result);
  if (!after || !same_but(before, *after, path)) return damage;
  const YamlNode* node = after->at(path);
  if (!node || node->kind != Kind::sequence) return damage;
  const Result<Texts> items = items_of(key, *after, *node);
  if (!items || *items != wanted) return damage;
  if (const ConfigKey* known = find_config_key(key)) {
    TRY(read_value(*known, *after, static_cast<size_t>(node - after->nodes().data())));
  }
  return result;
}

// An alias of the list: a change would show up in the alias's place too.
Result<> check_shared(std::string_view key, const Written& written) {
  const std::vector<YamlNode>& nodes = written.document.nodes();
  const bool shared = std::any_of(nodes.begin(), nodes.end(), [&](const YamlNode& node) {
    return node.kind == Kind::alias && node.target == written.entry->value;
  });
  if (shared) return aliased(key);
  return ok;
}

}  // namespace

Result<std::string> add_to_list(std::string_view text, std::string_view key, std::string_view value) {
  const Path path = TRY(config_path(key));
  TRY(check_key(key));
  const std::string item = yaml_scalar(value);
  if (!YamlDocument::parse(item)) return invalid("the value cannot be written as YAML text");
  const Written written = TRY(find_list(text, key, path));
  if (!written.entry) return set_key(text, key, flow_list({std::string(value)}));
  Texts items = TRY(items_of(key, written.document, written.node()));
  if (std::find(items.begin(), items.end(), value) != items.end()) return std::string(text);
  items.emplace_back(value);
  if (written.node().kind == Kind::scalar) return set_key(text, key, flow_list(items));
  TRY(check_shared(key, written));
  const std::vector<Splice> splices = TRY(plan_add_item(written.document, text, written.node(), item));
  return checked(written.document, apply_splices(text, splices), key, path, items);
}

Result<std::string> remove_from_list(std::string_view text, std::string_view key, std::string_view value) {
  const Path path = TRY(config_path(key));
  TRY(check_key(key));
  const Written written = TRY(find_list(text, key, path));
  if (!written.entry) return std::string(text);
  Texts items = TRY(items_of(key, written.document, written.node()));
  const auto found = std::find(items.begin(), items.end(), value);
  if (found == items.end()) return std::string(text);
  if (written.node().kind == Kind::scalar) return set_key(text, key, "[]");
  TRY(check_shared(key, written));
  const size_t position = static_cast<size_t>(found - items.begin());
  const std::vector<Splice> splices = TRY(plan_remove_item(written.document, text, *written.entry, position));
  items.erase(found);
  // The same text may be there more than once.
  return remove_from_list(TRY(checked(written.document, apply_splices(text, splices), key, path, items)), key, value);
}

}  // namespace talaria
