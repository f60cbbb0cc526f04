#include "skills/skill_card_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "skills/front_matter_lines.h"

namespace talaria {

namespace {

constexpr size_t longest_paragraph = 8192;
constexpr size_t longest_word = 100;  // in bytes; a longer one may be cut
constexpr std::string_view ellipsis = "...";

bool is_dropped(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200B || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE007F);
}

bool is_space(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029; }

// Code fences, rules, headings and comments around the paragraphs of a Markdown text.
class ParagraphFinder {
 public:
  explicit ParagraphFinder(std::string_view markdown) : lines_(markdown, 1) {}

  std::string find() {
    while (!lines_.at_end() && found_.size() < longest_paragraph) {
      const MatterLineReader before = lines_;
      const std::string_view line = lines_.next();
      const std::string_view content = trim(line);
      if (!content.empty() && is_underline(content)) {
        found_.clear();  // what stands above it was a heading
      } else if (content.empty() || starts_something_else(line, content)) {
        if (!found_.empty()) break;
        skip_rest_of(content, before);
      } else {
        found_.append(content).append(" ");
      }
    }
    return one_line(found_);
  }

 private:
  static bool is_underline(std::string_view content) {
    return content.size() >= 2 && (content.find_first_not_of('=') == std::string_view::npos ||
                                   content.find_first_not_of('-') == std::string_view::npos);
  }

  bool starts_something_else(std::string_view line, std::string_view content) const {
    const bool code = found_.empty() && (line.starts_with("    ") || line.starts_with('\t'));
    const bool fence = content.starts_with("```") || content.starts_with("~~~");
    const bool image = content.starts_with("![") || content.starts_with("[![");
    return code || fence || image || content[0] == '#' || content.starts_with("<!--") || content.starts_with("***");
  }

  // A comment or a block of code goes on for more lines.
  void skip_rest_of(std::string_view content, const MatterLineReader& before) {
    if (content.starts_with("<!--") && !lines_.go_behind("-->", before)) {
      // Text follows the comment on its line, or it is never closed: one line less is all there is to skip.
      return;
    }
    if (!content.starts_with("```") && !content.starts_with("~~~")) return;
    const std::string_view mark = content.substr(0, 3);
    while (!lines_.at_end() && !trim(lines_.next()).starts_with(mark)) continue;
  }

  MatterLineReader lines_;
  std::string found_;
};

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::string_view without_brackets(std::string_view text) {
  text = trim(text);
  return text.size() >= 2 && text[0] == '[' && text.back() == ']' ? text.substr(1, text.size() - 2) : text;
}

void add_part(std::vector<std::string>& parts, std::string_view part) {
  std::string clean = one_line(without_quotes(trim(part)));
  if (!clean.empty()) parts.push_back(std::move(clean));
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  bool gap = false;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const Utf8Step step = byte < 0x80 ? Utf8Step{Utf8Step::Kind::character, byte, 1} : decode_utf8(text);
    if (is_space(step.character)) {
      gap = !line.empty();
    } else if (!is_dropped(step.character)) {
      if (gap) line += ' ';
      gap = false;
      if (byte < 0x80) line += text[0];
      else append_utf8(line, step.character);
    }
    text.remove_prefix(step.length);
  }
  return line;
}

std::string first_paragraph(std::string_view markdown) { return ParagraphFinder(markdown).find(); }

std::string first_words(std::string_view line, size_t most) {
  if (first_characters(line, most).size() == line.size()) return std::string(line);
  const std::string_view start = first_characters(line, most - ellipsis.size());
  const bool whole = line[start.size()] == ' ';
  const size_t blank = whole ? start.size() : start.rfind(' ');
  // Not every script has blanks between its words.
  const bool near = blank != std::string_view::npos && start.size() - blank <= longest_word;
  return std::string(trim(start.substr(0, near ? blank : start.size()))) + std::string(ellipsis);
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> parts;
  text = without_brackets(text);
  while (true) {
    const size_t comma = text.find(',');
    add_part(parts, text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> parts;
  text = without_brackets(text);
  size_t depth = 0, start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    else if (text[i] == ')' && depth > 0) --depth;
    else if (depth == 0 && (text[i] == ',' || is_space(static_cast<unsigned char>(text[i])))) {
      add_part(parts, text.substr(start, i - start));
      start = i + 1;
    }
  }
  add_part(parts, text.substr(start));
  return parts;
}

}  // namespace talaria
