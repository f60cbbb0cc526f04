// How YamlRepair reads an entry that is broken itself.
#include <algorithm>

#include "yaml/block_scalar.h"
#include "yaml/mend_flow.h"
#include "yaml/yaml_repair.h"

namespace talaria {

namespace {

// "&anchor" and "!tag" say nothing about the value.
bool is_property(std::string_view value) {
  return (value.starts_with('&') || value.starts_with('!')) && value.find(' ') == std::string_view::npos;
}

std::string with_lines(std::string_view first, LooseLines below) {
  return std::string(first) + "\n" + join_lines(below);
}

size_t least_indent(LooseLines lines) {
  size_t indent = std::string_view::npos;
  for (const LooseLine& line : lines) {
    if (!line.content.empty()) indent = std::min(indent, line.indent);
  }
  return indent;
}

std::string label(const std::string& key) { return key.empty() ? "" : key + ": "; }

}  // namespace

void YamlRepair::read_entry(LooseLines lines, size_t indent, int depth, JsonObject& into) {
  const LoosePair pair = *split_pair(lines.front().content, known_);
  const size_t line = lines.front().number;
  if (const std::optional<Json> read = read_mended(lines, indent, pair.value); read && read->is_object()) {
    return put_all(into, *read, line);
  }
  if (!pair.exact) scope_.remark(line, pair.key + ": there is no colon with a blank behind it; read as a key");
  const LooseLines below = lines.subspan(1);
  const size_t stray = depth == 0 && !pair.value.empty() ? first_known_key(below) : below.size();
  if (stray < below.size())
    scope_.remark(below[stray].number, "a key is indented deeper than those around it; read as one of them");
  const size_t remarks = scope_.remark_count();
  Json value = read_value(pair.key, pair.value, line, below.first(stray), depth);
  if (pair.exact && stray == below.size() && scope_.remark_count() == remarks) {
    scope_.remark(line, pair.key + ": the key is not valid YAML; read as it stands");
  }
  put(into, pair.key, std::move(value), line);
  const Json more = read_block(below.subspan(stray), depth + 1);
  if (more.is_object()) put_all(into, more, line);
}

void YamlRepair::read_item(LooseLines lines, size_t indent, int depth, JsonArray& into) {
  const LooseLine first = lines.front();
  const size_t content = std::min(first.content.find_first_not_of(" \t", 1), first.content.size());
  const std::string_view value = first.content.substr(content);
  if (const std::optional<Json> read = read_mended(lines, indent, value); read && read->is_array()) {
    into.insert(into.end(), read->get_array().begin(), read->get_array().end());
    return;
  }
  if (!split_pair(value, known_)) {
    into.push_back(read_value("a list item", value, first.number, lines.subspan(1), depth));
    return;
  }
  // A map whose first key stands behind the "-".
  std::vector<LooseLine> made(lines.begin(), lines.end());
  made.front().indent = first.indent + content;
  made.front().text = made_.emplace_back(std::string(made.front().indent, ' ') + std::string(value));
  made.front().content = value;
  into.push_back(read_block(keep(std::move(made)), depth + 1));
}

Json YamlRepair::read_value(const std::string& key, std::string_view first, size_t line, LooseLines below, int depth) {
  const std::string_view value = without_comment(first);
  if (value.empty() || is_property(value)) return read_block(below, depth + 1);
  if (const std::optional<BlockHeader> header = block_header(first)) {
    scope_.remark(line, key + ": the lines of its text are not indented alike; read as one text");
    return Json(block_scalar_text(*header, join_lines(below), least_indent(below)));
  }
  // By itself it may be fine: then its key is not.
  const std::optional<Json> alone = read_strictly(with_lines(first, below), line);
  const bool collection = alone && (alone->is_object() || alone->is_array());
  if (alone && collection == (value[0] == '[' || value[0] == '{')) return *alone;
  if (std::optional<Json> list = read_started_list(value, line, below, depth)) return *list;
  if (value[0] == '[' || value[0] == '{') return read_flow(key, value, line, below);
  return read_text(key, value, line, below);
}

Json YamlRepair::read_flow(const std::string& key, std::string_view first, size_t line, LooseLines below) {
  if (const std::optional<std::string> mended = mend_flow(with_lines(first, below))) {
    const std::optional<Json> value = read_strictly(*mended, line);
    if (value && (value->is_object() || value->is_array())) {
      scope_.remark(line, label(key) + "brackets or commas of its value do not match; put right");
      return *value;
    }
  }
  return read_text(key, first, line, below);
}

Json YamlRepair::read_text(const std::string& key, std::string_view first, size_t line, LooseLines below) {
  std::vector<LooseLine> said;
  for (const LooseLine& other : below) {
    if (other.content.empty() || !other.says_nothing()) said.push_back(other);
  }
  const std::string text = fold_lines(first, said);
  scope_.remark(line, label(key) + "the value " + std::string(problem_of(text)) + "; read as text");
  return Json(unquoted(text));
}

size_t YamlRepair::first_known_key(LooseLines below) const {
  for (size_t i = 0; i < below.size(); ++i) {
    const std::optional<LoosePair> pair = split_pair(below[i].content, known_);
    if (pair && std::find(known_.begin(), known_.end(), pair->key) != known_.end()) return i;
  }
  return below.size();
}

}  // namespace talaria
