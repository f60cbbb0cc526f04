#include "yaml/yaml_text.h"

#include <cstdio>

#include "base/text.h"
#include "yaml/yaml.h"

namespace talaria {

namespace {

constexpr size_t longest = 1 << 20;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Length of the well-formed UTF-8 character at `offset`, or 0.
size_t character_length(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                        : (first >> 4) == 0xE            ? 3
                        : first >= 0xF0 && first <= 0xF4 ? 4
                                                         : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::optional<TextProblem> find_text_problem(std::string_view text) {
  if (text.size() > longest) return TextProblem{0, "larger than " + human_bytes(longest)};
  for (size_t i = 0; i < text.size();) {
    const size_t length = character_length(text, i);
    if (length == 0) return TextProblem{i, "not UTF-8 text"};
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      return TextProblem{i, "a carriage return without a line feed"};
    }
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      return TextProblem{i, "a control character; YAML allows it only as an escape in double quotes"};
    }
    i += length;
  }
  return std::nullopt;
}

std::optional<size_t> find_tab_indentation(std::string_view text) {
  for (size_t line = byte_order_mark(text); line < text.size(); line = next_line(text, line)) {
    const size_t content = text.find_first_not_of(" \t", line);
    if (content == std::string_view::npos) return std::nullopt;
    const size_t tab = text.find('\t', line);
    const bool blank = text[content] == '\n' || text[content] == '\r' || text[content] == '#';
    if (tab < content && !blank) return tab;
  }
  return std::nullopt;
}

size_t skip_blank_and_comments(std::string_view text, size_t offset) {
  while (true) {
    offset = text.find_first_not_of(" \t\r\n", offset);
    if (offset == std::string_view::npos) return text.size();
    if (text[offset] != '#') return offset;
    offset = next_line(text, offset);
  }
}

size_t find_colon(std::string_view text, size_t key_end) {
  const size_t at = text.find_first_not_of(" \t", key_end);
  return at != std::string_view::npos && text[at] == ':' ? at + 1 : std::string::npos;
}

size_t line_start(std::string_view text, size_t offset) {
  const size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return newline == std::string_view::npos ? byte_order_mark(text) : newline + 1;
}

size_t next_line(std::string_view text, size_t offset) {
  const size_t newline = text.find('\n', offset);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

size_t end_of_lines(std::string_view text, size_t end) {
  return end > 0 && text[end - 1] == '\n' ? end : next_line(text, end);
}

std::string_view line_ending(std::string_view text) {
  const size_t newline = text.find('\n');
  return newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
}

size_t byte_order_mark(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

size_t yaml_line(std::string_view text, size_t offset) {
  size_t line = 1;
  for (char c : text.substr(0, offset)) line += c == '\n';
  return line;
}

std::string yaml_position(std::string_view text, size_t offset) {
  size_t column = 1;
  // Bytes that continue a character do not count.
  for (size_t i = line_start(text, offset); i < offset; ++i) column += (text[i] & 0xC0) != 0x80;
  return std::to_string(yaml_line(text, offset)) + ":" + std::to_string(column);
}

bool is_yaml_null(std::string_view plain) {
  return plain.empty() || plain == "~" || plain == "null" || plain == "Null" || plain == "NULL";
}

namespace {

// Narrower than YAML's own rules, so that it holds in block and flow, in values and keys, and in other readers.
bool is_plain_safe(std::string_view text) {
  if (is_yaml_null(text) || text.back() == ' ' || text == "<<") return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (is_letter_or_digit(c) || c == '/' || c == '_') continue;
    const bool inside = i > 0 && std::string_view("-.+@$()=;^~ ").find(c) != std::string_view::npos;
    const bool leading = i == 0 && (c == '-' || c == '+' || c == '.' || c == '$') && is_letter_or_digit(next);
    const bool colon = i > 0 && c == ':' && (is_letter_or_digit(next) || next == '/');
    if (!inside && !leading && !colon) return false;
  }
  return true;
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
  if (is_plain_safe(text)) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02X", byte);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace talaria
