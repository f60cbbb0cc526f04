#include "yaml/plain_flow.h"

#include <array>
#include <cstdint>

#include "yaml/yaml_value.h"

namespace talaria {

namespace {

constexpr size_t longest_plain_key = 200;

enum Class : uint8_t {
  word = 1,    // in a key
  start = 2,   // may start a plain scalar
  inside = 4,  // in a plain scalar of a flow collection
  odd = 8,     // not on a plain line, or only after a closer look
};

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (letter || digit) classes[c] = word | start | inside;
    if (c < 0x20 || c == 0x7F || c == 0xC2 || c == 0xE2 || c == 0xEF) classes[c] = odd;
    if (c >= 0x80) classes[c] |= start | inside;
  }
  for (char c : {'-', '.'}) classes[static_cast<uint8_t>(c)] |= word | inside;
  for (char c : {'/', '.', '(', '$', '+', '=', '^', '~', ';', '<', '\\'}) classes[static_cast<uint8_t>(c)] |= start;
  for (char c : {' ', '/', '(', ')', '+', '=', '$', ';', '@', '~', '<', '>', '\\'}) {
    classes[static_cast<uint8_t>(c)] |= inside;
  }
  return classes;
}

constexpr std::array<uint8_t, 256> classes = make_classes();
bool is(char c, Class wanted) { return (classes[static_cast<uint8_t>(c)] & wanted) != 0; }

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// One value of a line, and how far it goes.
class PlainFlow {
 public:
  explicit PlainFlow(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }

  bool read(Json& into, int depth) {
    if (at_ >= text_.size() || depth > deepest_plain) return false;
    switch (text_[at_]) {
      case '[': return read_list(into.emplace_array(), depth);
      case '{': return read_map(into.emplace_object(), depth);
      case '"':
      case '\'': return read_quoted(into);
      default: return read_word(into);
    }
  }

  // Whole, and with nothing in it that means anything but itself.
  std::optional<std::string_view> quoted() {
    const char quote = text_[at_];
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    if (quote == '"' && inside.find('\\') != std::string_view::npos) return std::nullopt;
    at_ = end + 1;
    if (at_ < text_.size() && text_[at_] == quote) return std::nullopt;
    return inside;
  }

 private:
  bool read_quoted(Json& into) {
    const std::optional<std::string_view> text = quoted();
    if (text) into.emplace_string().assign(text->data(), text->size());
    return text.has_value();
  }

  bool read_word(Json& into) {
    const size_t from = at_;
    if (!is(text_[at_], start)) return false;
    while (at_ < text_.size() && is(text_[at_], inside)) ++at_;
    if (at_ == text_.size() || (text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '}')) return false;
    into = plain_value(without_trailing_blanks(text_.substr(from, at_ - from)));
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool read_list(JsonArray& into, int depth) {
    ++at_;
    if (take(']')) return true;
    do {
      skip_blanks();
      if (!read(into.emplace_back(nullptr), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool read_map(JsonObject& into, int depth) {
    ++at_;
    if (take('}')) return true;
    do {
      skip_blanks();
      const std::optional<std::string_view> key = read_key();
      if (!key || key->size() > longest_plain_key || into.contains(*key)) return false;
      skip_blanks();
      if (!read(into[*key], depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  // With its colon.
  std::optional<std::string_view> read_key() {
    if (at_ >= text_.size()) return std::nullopt;
    if (text_[at_] == '"' || text_[at_] == '\'') {
      const std::optional<std::string_view> key = quoted();
      return key && at_ < text_.size() && text_[at_++] == ':' ? key : std::nullopt;
    }
    const std::optional<std::string_view> key = plain_key(text_.substr(at_));
    if (key) at_ += key->size() + 1;
    return key;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// An unquoted scalar of a block, to the end of the line.
std::optional<Json> read_plain_text(std::string_view text) {
  if (!is(text.front(), start)) return std::nullopt;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' ')) return std::nullopt;
    if (text[i] == '#' && text[i - 1] == ' ') {
      text = text.substr(0, i);
      break;
    }
  }
  return plain_value(without_trailing_blanks(text));
}

}  // namespace

bool is_plain_line(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is(text[i], odd)) continue;
    const auto next = [&](size_t n) { return i + n < text.size() ? static_cast<uint8_t>(text[i + n]) : 0; };
    const uint8_t first = next(0);
    // C1 controls with NEL, the line and paragraph separators, byte order marks and the like.
    const bool fine = (first == 0xC2 && next(1) >= 0xA0) || (first == 0xE2 && (next(1) != 0x80 || next(2) < 0xA8)) ||
                      (first == 0xEF && next(1) != 0xBB && next(1) != 0xBF);
    if (!fine) return false;
  }
  return true;
}

std::optional<Json> read_plain_line(std::string_view text) {
  const char first = text.front();
  if (first != '[' && first != '{' && first != '"' && first != '\'') return read_plain_text(text);
  PlainFlow flow(text);
  Json value;
  if (!flow.read(value, 0) || !is_line_end(text.substr(flow.at()))) return std::nullopt;
  return value;
}

std::optional<std::string_view> plain_key(std::string_view text) {
  if (text.empty() || !is(text[0], word) || text[0] == '-' || text[0] == '.') return std::nullopt;
  size_t end = 1;
  while (end < text.size() && is(text[end], word)) ++end;
  if (end == text.size() || text[end] != ':' || end > longest_plain_key) return std::nullopt;
  if (end + 1 < text.size() && text[end + 1] != ' ') return std::nullopt;
  return text.substr(0, end);
}

bool is_line_end(std::string_view rest) {
  const size_t at = rest.find_first_not_of(' ');
  return at == std::string_view::npos || (at > 0 && rest[at] == '#');
}

}  // namespace talaria
