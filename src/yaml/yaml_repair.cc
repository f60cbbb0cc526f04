#include "yaml/yaml_repair.h"

#include <algorithm>

#include "base/utf8.h"
#include "yaml/block_scalar.h"
#include "yaml/plain_yaml.h"

namespace talaria {

namespace {

constexpr int deepest_repair = 16;

bool says_something(const LooseLine& line) { return !line.says_nothing(); }
bool any_content(LooseLines lines) { return std::any_of(lines.begin(), lines.end(), says_something); }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool opens_flow(std::string_view text) { return text.starts_with('[') || text.starts_with('{'); }

bool has_tab_indent(const LooseLine& line) {
  return says_something(line) && line.text.substr(0, line.indent).find('\t') != std::string_view::npos;
}

// The content of a list's item.
std::string_view item_content(const LooseLine& line) {
  const size_t at = line.content.find_first_not_of(" \t", 1);
  return at == std::string_view::npos ? std::string_view() : line.content.substr(at);
}

}  // namespace

YamlRepair::YamlRepair(std::string_view text, size_t first_line, std::span<const std::string_view> known,
                       YamlScope& scope)
    : text_(text), first_line_(first_line), known_(known), scope_(scope), look_ahead_left_(4 * text.size() + 1024) {}

Json YamlRepair::read() { return read_block(keep(loose_lines(text_, first_line_)), 0); }

bool YamlRepair::has_known_key(std::string_view text, std::span<const std::string_view> known) {
  const std::vector<LooseLine> lines = loose_lines(text, 1);
  return std::any_of(lines.begin(), lines.end(), [&](const LooseLine& line) {
    const std::optional<LoosePair> pair = split_pair(line.content, known);
    return pair && std::find(known.begin(), known.end(), pair->key) != known.end();
  });
}

LooseLines YamlRepair::keep(std::vector<LooseLine> lines) { return made_lines_.emplace_back(std::move(lines)); }

Json YamlRepair::read_block(LooseLines lines, int depth) {
  if (depth > 0) lines = level_items(lines);
  size_t indent = std::string_view::npos;
  for (const LooseLine& line : lines) {
    if (says_something(line)) indent = std::min(indent, line.indent);
  }
  if (indent == std::string_view::npos) return nullptr;
  const auto first = std::find_if(lines.begin(), lines.end(), says_something);
  const LooseLines from_first = lines.subspan(static_cast<size_t>(first - lines.begin()));
  if (depth > deepest_repair) return read_text("", first->content, first->number, from_first.subspan(1));
  const auto at_indent = [&](auto matches) {
    return std::find_if(lines.begin(), lines.end(), [&](const LooseLine& line) {
      return says_something(line) && line.indent == indent && matches(line);
    });
  };
  const auto pair = at_indent([&](const LooseLine& line) { return starts_entry(line, indent, Entries::of_map); });
  const auto item = at_indent([](const LooseLine& line) { return line.is_item(); });
  if (opens_flow(first->content)) {
    if (const std::optional<Json> flow = read_strictly(join_lines(from_first), first->number)) {
      scope_.remark(first->number, "a list or map starts at the start of its line; YAML wants it indented");
      return *flow;
    }
    return read_flow("", first->content, first->number, from_first.subspan(1));
  }
  // Front matter is a map, whatever stands before its first key.
  if (pair != lines.end() && (depth == 0 || pair < item)) return read_map(lines, indent, depth);
  if (item != lines.end()) return read_list(lines, indent, depth);
  return read_text("", first->content, first->number, from_first.subspan(1));
}

Json YamlRepair::read_map(LooseLines lines, size_t indent, int depth) {
  JsonObject object;
  size_t at = 0;
  while (at < lines.size() && !starts_entry(lines[at], indent, Entries::of_map)) ++at;
  if (const LooseLines before = lines.first(at); any_content(before)) {
    const bool keys = std::any_of(before.begin(), before.end(), [&](const LooseLine& line) {
      return line.indent > indent && split_pair(line.content, known_);
    });
    const Json values = keys ? read_block(before, depth + 1) : Json();
    if (values.is_object()) {
      scope_.remark(before.front().number, "a key is indented deeper than those around it; read as one of them");
      put_all(object, values, before.front().number);
    } else {
      leave_out(before);
    }
  }
  while (at < lines.size()) {
    const size_t length = entry_length(lines.subspan(at), indent, Entries::of_map);
    read_entry(lines.subspan(at, length), indent, depth, object);
    at += length;
  }
  return object;
}

Json YamlRepair::read_list(LooseLines lines, size_t indent, int depth) {
  JsonArray list;
  size_t at = 0;
  while (at < lines.size() && !starts_entry(lines[at], indent, Entries::of_list)) ++at;
  leave_out(lines.first(at));
  while (at < lines.size()) {
    const size_t length = entry_length(lines.subspan(at), indent, Entries::of_list);
    read_item(lines.subspan(at, length), indent, depth, list);
    at += length;
  }
  return list;
}

bool YamlRepair::starts_entry(const LooseLine& line, size_t indent, Entries entries) const {
  if (line.says_nothing() || line.indent != indent) return false;
  if (entries == Entries::of_list || line.is_item()) return entries == Entries::of_list && line.is_item();
  return split_pair(line.content, known_).has_value();
}

size_t YamlRepair::entry_length(LooseLines lines, size_t indent, Entries entries) {
  const LooseLine& first = lines.front();
  std::string_view value = item_content(first);
  if (entries == Entries::of_map) value = split_pair(first.content, known_)->value;
  size_t length = 1;
  if (without_comment(value).empty()) {
    // A flow collection may start on the next line, even at the start of it.
    while (length < lines.size() && lines[length].says_nothing()) ++length;
    if (length < lines.size() && opens_flow(lines[length].content)) {
      length += lines_until_closed(lines.subspan(length), lines[length].content);
    }
  } else {
    length = lines_until_closed(lines, value);
  }
  while (length < lines.size() && !starts_entry(lines[length], indent, entries)) ++length;
  return length;
}

size_t YamlRepair::lines_until_closed(LooseLines lines, std::string_view value) {
  if (!opens_flow(value) && !is_quote(value[0])) return 1;
  std::string open(1, value[0]);
  size_t at = 1;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = i == 0 ? value : lines[i].content;
    if (text.size() >= look_ahead_left_) return 1;
    look_ahead_left_ -= text.size() + 1;
    const std::optional<LoosePair> pair = i == 0 ? std::nullopt : split_pair(text, known_);
    if (pair && std::find(known_.begin(), known_.end(), pair->key) != known_.end()) return 1;
    for (; at < text.size() && !open.empty(); ++at) {
      const char c = text[at];
      if (is_quote(open.back())) {
        if (c == '\\' && open.back() == '"') ++at;
        else if (c == open.back()) open.pop_back();
      } else if (is_quote(c)) {
        const char before = at == 0 ? ' ' : text[at - 1];
        if (std::string_view(" [{,:").find(before) != std::string_view::npos) open += c;
      } else if (c == '[' || c == '{') {
        open += c;
      } else if (c == ']' || c == '}') {
        open.pop_back();
      }
    }
    if (open.empty()) return without_comment(text.substr(std::min(at, text.size()))).empty() ? i + 1 : 1;
    at = 0;
  }
  return 1;
}

std::optional<Json> YamlRepair::read_strictly(std::string_view text, size_t line) {
  if (std::optional<Json> plain = read_plain_yaml(text)) return plain;
  if (strict_left_ == 0) return std::nullopt;
  --strict_left_;
  return read_yaml_value(text, line, scope_);
}

std::optional<Json> YamlRepair::read_entry_strictly(LooseLines lines) {
  std::optional<Json> entry = read_strictly(join_lines(lines), lines.front().number);
  // "key:value" is valid as a text.
  if (entry && !entry->is_object() && !entry->is_array()) entry.reset();
  return entry;
}

std::optional<Json> YamlRepair::read_mended(LooseLines& lines, size_t indent, std::string_view value) {
  if (std::optional<Json> read = read_entry_strictly(lines)) return read;
  if (const auto tab = std::find_if(lines.begin(), lines.end(), has_tab_indent); tab != lines.end()) {
    scope_.remark(tab->number, "a tab is used to indent; read as two blanks");
    lines = without_tabs(lines);
    if (std::optional<Json> read = read_entry_strictly(lines)) return read;
  }
  return read_without_prose(lines, indent, value);
}

std::optional<Json> YamlRepair::read_without_prose(LooseLines& lines, size_t indent, std::string_view value) {
  const size_t line = lines.front().number;
  const bool may_have_items = without_comment(value).empty();
  const auto is_prose = [&](const LooseLine& other) {
    const bool belongs = other.number == line || other.indent > indent || (other.is_item() && may_have_items);
    return says_something(other) && !belongs;
  };
  std::vector<LooseLine> kept, prose;
  for (const LooseLine& other : lines) (is_prose(other) ? prose : kept).push_back(other);
  if (prose.empty()) return std::nullopt;
  // A block text or a flow collection that starts on the line below is all there is.
  const bool needs_more = !any_content(LooseLines(kept).subspan(1));
  const bool is_value = needs_more && (block_header(value) || (may_have_items && opens_flow(prose.front().content)));
  if (is_value) return std::nullopt;
  std::optional<Json> read = read_entry_strictly(kept);
  // What is open may go on in prose.
  const bool open = !read && !value.empty() && (is_quote(value[0]) || opens_flow(value) || block_header(value));
  if (open) return std::nullopt;
  leave_out(prose);
  lines = keep(std::move(kept));
  return read;
}

LooseLines YamlRepair::without_tabs(LooseLines lines) {
  std::vector<LooseLine> made(lines.begin(), lines.end());
  for (LooseLine& line : made) {
    if (!has_tab_indent(line)) continue;
    std::string indent;
    for (char c : line.text.substr(0, line.indent)) indent += c == '\t' ? "  " : " ";
    line.text = made_.emplace_back(indent + std::string(line.content));
    line.content = line.text.substr(indent.size());
    line.indent = indent.size();
  }
  return keep(std::move(made));
}

void YamlRepair::put(JsonObject& into, std::string_view key, Json value, size_t line) {
  if (into.contains(key)) scope_.remark(line, "\"" + std::string(key) + "\" is there twice; the last one counts");
  into[key] = std::move(value);
}

void YamlRepair::put_all(JsonObject& into, const Json& values, size_t line) {
  for (const auto& [key, value] : values.get_object()) put(into, key, value, line);
}

void YamlRepair::leave_out(LooseLines lines) {
  for (const LooseLine& line : lines) {
    if (line.says_nothing()) continue;
    const std::string_view start = first_characters(line.content, 40);
    scope_.remark(line.number, "not a key with a value; left out: \"" + std::string(start) +
                                   (start.size() < line.content.size() ? "…\"" : "\""));
  }
}

}  // namespace talaria
