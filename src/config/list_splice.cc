#include "config/list_splice.h"

#include <algorithm>

#include "yaml/yaml_text.h"

namespace talaria {
namespace {

using Style = YamlNode::Style;

Error by_hand(std::string_view text, size_t offset, const std::string& why) {
  return {ErrorCode::conflict, "cannot change the list on line " + std::to_string(yaml_line(text, offset)) +
                                   " without risk: " + why + "; edit the file by hand"};
}

// The bytes before an item on its line, "  - " or "    ", when they are nothing but its indentation and dash.
Result<std::string> lead_of(std::string_view text, const YamlNode& item, Style style) {
  const size_t start = line_start(text, item.start);
  const std::string_view lead = text.substr(start, item.start - start);
  const size_t dash = lead.find_first_not_of(' ');
  const bool good = style == Style::flow ? dash == std::string_view::npos
                                         : dash != std::string_view::npos && lead[dash] == '-' &&
                                               lead.find_first_not_of(line_blanks, dash + 1) == std::string_view::npos;
  if (!good) return by_hand(text, item.start, "an item is not the first thing on its line");
  return std::string(lead);
}

// Whether an item of a flow list is the first thing on its line, and a comma and a comment the only ones after it.
bool has_own_line(std::string_view text, const YamlNode& item) {
  if (!lead_of(text, item, Style::flow)) return false;
  size_t after = text.find_first_not_of(line_blanks, item.end);
  if (after != std::string_view::npos && text[after] == ',') after = text.find_first_not_of(line_blanks, after + 1);
  return after != std::string_view::npos && (text[after] == '#' || text[after] == '\r' || text[after] == '\n');
}

// Just after the comma that follows an item, or npos.
size_t after_comma(std::string_view text, const YamlNode& item) {
  const size_t comma = skip_blank_and_comments(text, item.end);
  return comma < text.size() && text[comma] == ',' ? comma + 1 : std::string_view::npos;
}

Splice new_line(std::string_view text, size_t end, const std::string& line) {
  const std::string ending(line_ending(text));
  const size_t at = end_of_lines(text, end);
  const bool unfinished = at == text.size() && text.back() != '\n';
  return {at, 0, unfinished ? ending + line : line + ending};
}

std::vector<Splice> add_to_flow(const YamlDocument& document, std::string_view text, const YamlNode& list,
                                const std::string& written) {
  if (list.items.empty()) return {Splice{text.rfind('[', list.end - 1) + 1, 0, written}};
  const YamlNode& last = document.node(list.items.back());
  const size_t comma = after_comma(text, last);
  const bool has_comma = comma != std::string_view::npos;
  if (has_own_line(text, last)) {
    const std::string line = *lead_of(text, last, Style::flow) + written;
    if (has_comma) return {new_line(text, comma, line + ",")};
    return {Splice{last.end, 0, ","}, new_line(text, last.end, line)};
  }
  return {Splice{last.end, 0, ", " + written}};
}

Splice remove_from_flow(const YamlDocument& document, std::string_view text, const YamlNode& list, size_t position) {
  const YamlNode& item = document.node(list.items[position]);
  const size_t comma = after_comma(text, item);
  const bool has_comma = comma != std::string_view::npos;
  if (has_own_line(text, item)) {
    const size_t first = line_start(text, item.start);
    return {first, end_of_lines(text, item.end) - first, ""};
  }
  if (has_comma && text.find('#', item.end) > comma) {
    // The blanks go too, but a comment needs one before it.
    const size_t following = std::min(text.find_first_not_of(line_blanks, comma), text.size());
    const bool keeps_blank = following < text.size() && text[following] == '#';
    return {item.start, (keeps_blank ? comma : following) - item.start, ""};
  }
  size_t from = item.start;
  if (position > 0) {
    // The last one takes the comma before it along, unless a comment stands between.
    const size_t previous = document.node(list.items[position - 1]).end;
    if (text.substr(previous, from - previous).find('#') == std::string_view::npos) from = previous;
  }
  return {from, item.end - from, ""};
}

}  // namespace

Result<std::vector<Splice>> plan_add_item(const YamlDocument& document, std::string_view text, const YamlNode& list,
                                          const std::string& written) {
  if (list.style == Style::flow) return add_to_flow(document, text, list, written);
  const YamlNode& last = document.node(list.items.back());
  return std::vector{new_line(text, last.end, TRY(lead_of(text, last, Style::block)) + written)};
}

Result<std::vector<Splice>> plan_remove_item(const YamlDocument& document, std::string_view text,
                                             const YamlEntry& entry, size_t position) {
  const YamlNode& list = document.node(entry.value);
  if (list.style == Style::flow) return std::vector{remove_from_flow(document, text, list, position)};
  const YamlNode& item = document.node(list.items[position]);
  TRY(lead_of(text, item, Style::block));
  const size_t first = line_start(text, item.start);
  std::vector<Splice> splices = {{first, end_of_lines(text, item.end) - first, ""}};
  if (list.items.size() == 1) {
    const bool bare = entry.after_colon != std::string::npos && !list.tagged && list.anchor.empty();
    if (!bare) return by_hand(text, list.start, "the list has an anchor or tag");
    splices.push_back({entry.after_colon, 0, " []"});
  }
  return splices;
}

}  // namespace talaria
