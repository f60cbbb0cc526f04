#pragma once
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// As HTML has them: what a tag's name starts with, and what stands between words and attributes.
inline bool is_html_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_html_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

// A page with its long stretches of plain text replaced by short marks. The parser spends the same time on each
// character, and most of them are text it only copies: without them it is twice as fast or more. What the marks stand
// for is put back into the parsed tree, wherever they turn up in it, so the folding need not know HTML to the last
// rule.
class HtmlFold {
 public:
  // The fold points into `html`, which must be valid UTF-8 or is left as it is.
  explicit HtmlFold(std::string_view html, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // What to parse.
  std::string_view html() const { return runs_.empty() ? original_ : std::string_view(folded_); }
  size_t original_size() const { return original_.size(); }
  bool empty() const { return runs_.empty(); }

  static bool has_mark(const char* text);
  // `text` with all marks replaced, in the same memory as the fold.
  std::pmr::string unfold(std::string_view text) const;

 private:
  size_t copy_tag(size_t at);
  size_t copy_raw_element(size_t at, std::string_view name);
  size_t copy_until(size_t from, size_t to);
  void fold_text(std::string_view text);
  void add_run(std::string_view run);
  // What the marks of `text` stand for and what is between them, piece by piece.
  template <class Take>
  void each_piece(std::string_view text, Take take) const;

  std::string_view original_;
  std::pmr::string folded_;
  std::pmr::vector<std::string_view> runs_;
};

}  // namespace talaria
