#include "yaml/block_scalar.h"

#include <algorithm>

#include "yaml/yaml_text.h"

namespace talaria {

namespace {

// Gives the lines one by one.
class BlockLines {
 public:
  explicit BlockLines(std::string_view lines) : rest_(lines) {}

  bool at_end() const { return rest_.empty(); }

  std::string_view next() {
    const size_t newline = rest_.find('\n');
    std::string_view line = rest_.substr(0, newline);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ended_ = newline != std::string_view::npos;
    rest_.remove_prefix(ended_ ? newline + 1 : rest_.size());
    return line;
  }

  bool ended() const { return ended_; }  // the last line with a line feed

 private:
  std::string_view rest_;
  bool ended_ = true;
};

// How far the first line that is not blank is indented.
std::optional<size_t> first_indent(std::string_view lines) {
  BlockLines reader(lines);
  while (!reader.at_end()) {
    const size_t content = reader.next().find_first_not_of(' ');
    if (content != std::string_view::npos) return content;
  }
  return std::nullopt;
}

// The header on the last line of `text`: the last thing on it but for a comment.
std::optional<BlockHeader> header_above(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  const std::string_view line = text.substr(text.rfind('\n') + 1);
  for (size_t at = line.find_first_of("|>"); at != std::string_view::npos; at = line.find_first_of("|>", at + 1)) {
    if (at > 0 && !is_yaml_blank(line[at - 1])) continue;
    if (const std::optional<BlockHeader> header = block_header(line.substr(at))) return header;
  }
  return std::nullopt;
}

}  // namespace

std::optional<BlockHeader> block_header(std::string_view value) {
  if (value.empty() || (value[0] != '|' && value[0] != '>')) return std::nullopt;
  BlockHeader header{value[0] == '>', ' ', 0};
  size_t at = 1;
  for (; at < value.size() && at < 3; ++at) {
    if (value[at] == '-' || value[at] == '+') header.chomping = value[at];
    else if (value[at] >= '1' && value[at] <= '9') header.indent = static_cast<size_t>(value[at] - '0');
    else break;
  }
  const size_t rest = value.find_first_not_of(" \t", at);
  if (rest == std::string_view::npos || (rest > at && value[rest] == '#')) return header;
  return std::nullopt;
}

std::string block_scalar_text(BlockHeader header, std::string_view lines, size_t indent) {
  std::string text;
  BlockLines reader(lines);
  size_t breaks = 0;     // line feeds since the last line with content
  bool started = false;  // there was one
  bool deeper = false;   // and it began with a blank: what stands around it is not folded
  while (!reader.at_end()) {
    const std::string_view line = reader.next();
    const std::string_view own = line.substr(std::min(indent, line.size()));
    if (own.empty()) {
      ++breaks;
      continue;
    }
    const bool now_deeper = is_yaml_blank(own[0]);
    if (started && header.folded && !deeper && !now_deeper) {
      if (breaks == 1) text += ' ';
      else text.append(breaks - 1, '\n');
    } else {
      text.append(breaks, '\n');
    }
    text.append(own);
    started = true;
    deeper = now_deeper;
    breaks = 1;
  }
  if (!reader.ended() && breaks > 0) --breaks;
  if (header.chomping == '+') text.append(breaks, '\n');
  else if (header.chomping == ' ' && started && breaks > 0) text += '\n';
  return text;
}

std::optional<std::string> read_block_scalar(std::string_view text, const BlockPlace& place) {
  if (place.end > text.size() || place.start > place.end) return std::nullopt;
  size_t end = place.end;
  if (place.behind_indent && end < text.size()) end = std::max(line_start(text, end), place.start);
  const std::string_view lines = text.substr(place.start, end - place.start);
  const std::optional<BlockHeader> header = header_above(text.substr(0, place.start));
  if (!header) return std::nullopt;
  if (header->indent > 0) return block_scalar_text(*header, lines, place.outer.value_or(0) + header->indent);
  const std::optional<size_t> indent = first_indent(lines);
  if (indent && place.outer && *indent <= *place.outer) return std::nullopt;
  return block_scalar_text(*header, lines, indent.value_or(lines.size()));
}

}  // namespace talaria
