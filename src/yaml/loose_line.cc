#include "yaml/loose_line.h"

#include <algorithm>

#include "base/text.h"
#include "yaml/yaml_text.h"

namespace talaria {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view wide_colon = "\xEF\xBC\x9A";
constexpr size_t longest_loose_key = 1024;

std::string_view strip(std::string_view text) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// After the closing quote of a text that starts with one; npos without.
size_t end_of_quoted(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\' && text[0] == '"') ++i;
    else if (text[i] == text[0]) return i + 1;
  }
  return std::string_view::npos;
}

std::optional<LoosePair> split_quoted_key(std::string_view content) {
  const size_t end = end_of_quoted(content);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = strip(content.substr(end));
  if (!rest.starts_with(':') || (rest.size() > 1 && !is_yaml_blank(rest[1]))) return std::nullopt;
  return LoosePair{unquoted(content.substr(0, end)), strip(rest.substr(1)), true};
}

// "name:value" and "name：value", where the key is one that is expected here.
std::optional<LoosePair> split_glued(std::string_view content, std::span<const std::string_view> known) {
  for (std::string_view key : known) {
    if (!content.starts_with(key)) continue;
    const std::string_view rest = strip(content.substr(key.size()));
    const size_t colon = rest.starts_with(':') ? 1 : rest.starts_with(wide_colon) ? wide_colon.size() : 0;
    if (colon > 0) return LoosePair{std::string(key), strip(rest.substr(colon)), false};
  }
  return std::nullopt;
}

// What YAML reads after a backslash; for all others there is no telling, and a path is likelier than an escape.
bool has_wrong_escape(std::string_view inside) {
  constexpr std::string_view known = "0abtnvfre \"/\\N_LPxuU\n";
  for (size_t i = 0; i + 1 < inside.size(); ++i) {
    if (inside[i] != '\\') continue;
    if (known.find(inside[++i]) == std::string_view::npos) return true;
  }
  return false;
}

char escaped(char c) { return c == 'n' ? '\n' : c == 't' ? '\t' : c == '"' || c == '\\' || c == '/' ? c : '\0'; }

}  // namespace

std::vector<LooseLine> loose_lines(std::string_view text, size_t first_line) {
  std::vector<LooseLine> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t newline = std::min(text.find('\n', at), text.size());
    LooseLine line{first_line + lines.size(), 0, text.substr(at, newline - at), {}};
    line.content = strip(line.text);
    line.indent = std::min(line.text.find_first_not_of(blanks), line.text.size());
    lines.push_back(line);
    at = newline + 1;
  }
  return lines;
}

std::string join_lines(LooseLines lines) {
  std::string text;
  for (const LooseLine& line : lines) text.append(line.text).append("\n");
  return text;
}

std::optional<LoosePair> split_pair(std::string_view content, std::span<const std::string_view> known) {
  if (content.empty() || content[0] == '#' || content[0] == '{' || content[0] == '[') return std::nullopt;
  if (content[0] == '"' || content[0] == '\'') {
    if (std::optional<LoosePair> pair = split_quoted_key(content)) return pair;
  }
  for (size_t colon = content.find(':'); colon < std::min(content.size(), longest_loose_key);
       colon = content.find(':', colon + 1)) {
    if (colon + 1 < content.size() && !is_yaml_blank(content[colon + 1])) continue;
    const std::string_view key = strip(content.substr(0, colon));
    return LoosePair{std::string(key), strip(content.substr(colon + 1)), true};
  }
  return split_glued(content, known);
}

std::string_view without_comment(std::string_view value) {
  if (value.starts_with('#')) return {};
  const size_t comment = value.find(" # ");
  return strip(value.substr(0, comment));
}

std::string fold_lines(std::string_view first, LooseLines rest) {
  std::string text(first);
  size_t empty_lines = 0;
  for (const LooseLine& line : rest) {
    if (line.content.empty()) {
      ++empty_lines;
      continue;
    }
    if (!text.empty()) text.append(std::max<size_t>(empty_lines, 1), empty_lines > 0 ? '\n' : ' ');
    text.append(line.content);
    empty_lines = 0;
  }
  return text;
}

std::string unquoted(std::string_view value) {
  if (value.empty() || (value[0] != '"' && value[0] != '\'')) return std::string(value);
  const char quote = value[0];
  const bool closed = value.size() > 1 && value.back() == quote;
  const size_t end = end_of_quoted(value);
  // "this" or "that": the quotes belong to the text. One that is never closed does not.
  const bool part_of_text = closed ? end < value.size() && is_yaml_blank(value[end]) : end != std::string_view::npos;
  if (part_of_text) return std::string(value);
  std::string text;
  const std::string_view inside = value.substr(1, value.size() - (closed ? 2 : 1));
  const bool escapes = quote == '"' && !has_wrong_escape(inside);
  for (size_t i = 0; i < inside.size(); ++i) {
    const bool more = i + 1 < inside.size();
    const bool escape =
        more && inside[i] == '\\' && (escapes ? escaped(inside[i + 1]) != '\0' : inside[i + 1] == quote);
    if (escape) text += escaped(inside[++i]);
    else if (quote == '\'' && inside[i] == '\'' && more && inside[i + 1] == '\'') text += inside[++i];
    else text += inside[i];
  }
  return text;
}

std::string_view problem_of(std::string_view value) {
  if (value.empty()) return "is not valid YAML";
  switch (value[0]) {
    case '"':
    case '\'': return "has quotes that do not match, or a wrong escape in them";
    case '[':
    case '{': return "is no valid list or map";
    case '@':
    case '`':
    case '%':
    case ',':
    case '*':
    case '&':
    case '!':
    case '|':
    case '>':
    case ']':
    case '}': return "starts with a character that has a meaning in YAML";
    case '-':
    case '?':
      if (value.size() > 1 && is_yaml_blank(value[1])) return "starts with a character that has a meaning in YAML";
      break;
    default: break;
  }
  if (value.find(": ") != std::string_view::npos || value.back() == ':')
    return "has a colon in it and no quotes around it";
  return "is not valid YAML";
}

}  // namespace talaria
