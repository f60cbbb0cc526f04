// How YamlRepair finds the items of a list that do not stand where they should.
#include <algorithm>

#include "yaml/block_scalar.h"
#include "yaml/yaml_repair.h"

namespace talaria {

namespace {

// What ends a line: behind its dashes and its key.
std::string_view last_value(std::string_view content, std::span<const std::string_view> known) {
  while (content == "-" || content.starts_with("- ")) {
    content.remove_prefix(std::min(content.find_first_not_of(" \t", 1), content.size()));
  }
  const std::optional<LoosePair> pair = split_pair(content, known);
  return pair ? content.substr(content.size() - pair->value.size()) : content;
}

// "-item": a dash of the list that lacks its blank. "--flag" and "-1" are none.
bool is_glued_item(std::string_view content) {
  return content.size() > 1 && content[0] == '-' &&
         std::string_view("- \t0123456789.").find(content[1]) == std::string_view::npos;
}

size_t deeper_lines(LooseLines lines) {
  size_t length = 1;
  while (length < lines.size() && (lines[length].content.empty() || lines[length].indent > lines[0].indent)) ++length;
  return length;
}

}  // namespace

LooseLine YamlRepair::moved(const LooseLine& line, size_t indent, std::string_view content) {
  LooseLine made = line;
  made.text = made_.emplace_back(std::string(indent, ' ') + std::string(content));
  made.content = made.text.substr(indent);
  made.indent = indent;
  return made;
}

LooseLines YamlRepair::level_items(LooseLines lines) {
  const auto first = std::ranges::find_if(lines, [](const LooseLine& line) { return !line.says_nothing(); });
  if (first == lines.end() || !first->is_item()) return lines;
  std::vector<LooseLine> level(lines.begin(), lines.end());
  const size_t base = first->indent;
  size_t item = base;    // where the item stands whose lines these are
  bool nested = false;   // a list is inside it
  bool opening = false;  // the line before ends with its key, or its dash
  bool changed = false;
  for (size_t at = static_cast<size_t>(first - lines.begin()); at < lines.size();) {
    if (level[at].says_nothing()) {
      ++at;
      continue;
    }
    if (level[at].indent == item && !opening && is_glued_item(level[at].content)) {
      scope_.remark(level[at].number, "a list item has no blank behind its dash; read as one");
      level[at] = moved(level[at], item, "- " + std::string(level[at].content.substr(1)));
      changed = true;
    }
    if (level[at].is_item()) {
      const bool inside = level[at].indent > item && (opening || nested);
      if (!inside && level[at].indent != base) {
        scope_.remark(level[at].number, "a list item is not indented as the first one is; read as one of them");
      }
      if (!inside) item = level[at].indent;
      nested = inside;
    }
    const std::string_view value = last_value(level[at].content, known_);
    opening = without_comment(value).empty();
    const LooseLines rest = LooseLines(level).subspan(at);
    const size_t length = opening ? 1 : block_header(value) ? deeper_lines(rest) : lines_until_closed(rest, value);
    for (const size_t end = at + length; at < end; ++at) {
      const LooseLine& line = level[at];
      if (item == base || line.content.empty() || line.indent < item) continue;
      level[at] = moved(line, line.indent - item + base, line.content);
      changed = true;
    }
  }
  return changed ? keep(std::move(level)) : lines;
}

std::optional<Json> YamlRepair::read_started_list(std::string_view first, size_t line, LooseLines below, int depth) {
  const auto next = std::ranges::find_if(below, [](const LooseLine& other) { return !other.says_nothing(); });
  if (next == below.end() || !next->is_item()) return std::nullopt;
  std::optional<Json> started;
  if (first.starts_with('[')) {
    started = read_strictly(first, line);
    if (!started || !started->is_array()) return std::nullopt;
  }
  std::vector<LooseLine> lines(below.begin(), below.end());
  if (first.starts_with("- ")) {
    LooseLine item;
    item.number = line;
    lines.insert(lines.begin(), moved(item, next->indent, first));
  } else if (!started) {
    return std::nullopt;
  }
  scope_.remark(line, "a list starts on the line of its key and goes on below; read as one list");
  Json rest = read_block(keep(std::move(lines)), depth + 1);
  if (!started || !rest.is_array()) return rest;
  JsonArray& all = started->get_array();
  all.insert(all.end(), rest.get_array().begin(), rest.get_array().end());
  return started;
}

}  // namespace talaria
