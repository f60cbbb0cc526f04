#include "yaml/plain_yaml.h"

#include <string>

#include "yaml/plain_flow.h"

namespace talaria {

namespace {

class PlainYaml {
 public:
  explicit PlainYaml(std::string_view text) : text_(text) {}

  std::optional<Json> read() {
    Json value;
    if (!next_line() || !has_line_ || is_item()) return std::nullopt;
    value.emplace_object().reserve(12);
    if (!read_map(value.get_object(), indent_, 0) || has_line_) return std::nullopt;
    return value;
  }

 private:
  // Goes to the next line that says something. False in case of doubt; has_line_ is false at the end.
  bool next_line() {
    while (at_ < text_.size()) {
      const size_t newline = text_.find('\n', at_);
      const size_t end = newline == std::string_view::npos ? text_.size() : newline;
      size_t content = at_;
      while (content < end && text_[content] == ' ') ++content;
      indent_ = content - at_;
      line_ = text_.substr(content, end - content);
      at_ = newline == std::string_view::npos ? end : end + 1;
      if (!is_plain_line(line_)) return false;
      if (line_.empty() || line_[0] == '#') continue;
      while (line_.back() == ' ') line_.remove_suffix(1);
      has_line_ = true;
      return true;
    }
    has_line_ = false;
    return true;
  }

  bool is_item() const { return line_[0] == '-' && (line_.size() == 1 || line_[1] == ' '); }

  bool read_map(JsonObject& into, size_t indent, int depth) {
    while (has_line_ && indent_ == indent && !is_item()) {
      const std::optional<std::string_view> key = plain_key(line_);
      if (!key || into.contains(*key)) return false;
      line_.remove_prefix(key->size() + 1);
      while (!line_.empty() && line_[0] == ' ') line_.remove_prefix(1);
      if (!read_value(into[*key], indent, depth)) return false;
    }
    return !has_line_ || indent_ < indent;
  }

  // What stands behind a key in a map indented by `indent`: on this line, or below.
  bool read_value(Json& into, size_t indent, int depth) {
    if (line_.empty() || line_[0] == '#') {
      if (depth >= deepest_plain || !next_line()) return false;
      if (!has_line_ || indent_ < indent || (indent_ == indent && !is_item())) return true;
      if (is_item()) return read_list(into.emplace_array(), indent_, depth + 1);
      return read_map(into.emplace_object(), indent_, depth + 1);
    }
    if (line_[0] == '|' || line_[0] == '>') return read_block_text(into, indent);
    return read_line(into, indent);
  }

  bool read_line(Json& into, size_t indent) {
    std::optional<Json> value = read_plain_line(line_);
    if (!value) return false;
    into = std::move(*value);
    // A deeper line would go on with this scalar.
    return next_line() && (!has_line_ || indent_ <= indent);
  }

  bool read_list(JsonArray& into, size_t indent, int depth) {
    while (has_line_ && indent_ == indent && is_item()) {
      const size_t content = line_.find_first_not_of(' ', 1);
      if (content == std::string_view::npos) return false;
      line_.remove_prefix(content);
      if (!plain_key(line_)) {
        if (!read_line(into.emplace_back(nullptr), indent)) return false;
        continue;
      }
      indent_ += content;
      if (depth >= deepest_plain || !read_map(into.emplace_back(nullptr).emplace_object(), indent_, depth + 1))
        return false;
    }
    return !has_line_ || indent_ <= indent;
  }

  struct RawLine {
    size_t indent;
    std::string_view content;
    size_t next;
  };

  // The line at at_, as a block scalar sees it. Nothing in case of doubt.
  std::optional<RawLine> raw_line() const {
    const size_t newline = text_.find('\n', at_);
    if (newline == std::string_view::npos) return std::nullopt;
    size_t content = at_;
    while (text_[content] == ' ') ++content;
    const std::string_view line = text_.substr(content, newline - content);
    if (!is_plain_line(line)) return std::nullopt;
    return RawLine{content - at_, line, newline + 1};
  }

  // Behind "|", "|-", ">" or ">-".
  bool read_block_text(Json& into, size_t indent) {
    const bool folded = line_[0] == '>';
    const bool strip = line_.size() > 1 && line_[1] == '-';
    if (!is_line_end(line_.substr(strip ? 2 : 1))) return false;
    std::string text;
    size_t own_indent = 0;
    size_t blank_lines = 0;
    while (at_ < text_.size()) {
      const std::optional<RawLine> line = raw_line();
      if (!line) return false;
      if (line->content.empty()) {
        if (own_indent == 0 || line->indent > own_indent) return false;
        ++blank_lines;
      } else if (own_indent == 0) {
        if (line->indent <= indent) return false;
        own_indent = line->indent;
        text = line->content;
      } else if (line->indent < own_indent) {
        if (line->indent > indent) return false;
        break;
      } else {
        if (folded && line->indent > own_indent) return false;
        text.append(folded && blank_lines > 0 ? blank_lines : blank_lines + 1, folded && blank_lines == 0 ? ' ' : '\n');
        text.append(line->indent - own_indent, ' ').append(line->content);
        blank_lines = 0;
      }
      at_ = line->next;
    }
    if (own_indent == 0) return false;
    if (!strip) text += '\n';
    into.emplace_string().assign(text.data(), text.size());
    return next_line();
  }

  std::string_view text_;
  size_t at_ = 0;  // of the line after line_
  bool has_line_ = false;
  std::string_view line_;  // without indentation and trailing blanks
  size_t indent_ = 0;
};

}  // namespace

std::optional<Json> read_plain_yaml(std::string_view text) { return PlainYaml(text).read(); }

}  // namespace talaria
