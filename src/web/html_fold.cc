#include "web/html_fold.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

// U+F0000, for private use, and four letters that are the number of the run. A page that has the character is not
// folded.
constexpr std::string_view fold_mark = "\xf3\xb0\x80\x80";
constexpr size_t mark_length = 8;
constexpr size_t shortest_run = 24;
constexpr size_t most_runs = size_t{1} << 24;
constexpr size_t smallest_page = 64 << 10;

bool is_entity_part(char c) { return is_html_letter(c) || (c >= '0' && c <= '9') || c == '#' || c == ';'; }

// Whether the page has the mark's character, or an entity the parser makes it of; it computes them in 32 bits.
bool has_character_of_mark(std::string_view html) {
  if (html.find(fold_mark) != std::string_view::npos) return true;
  for (size_t at = html.find("&#"); at != std::string_view::npos; at = html.find("&#", at + 2)) {
    std::string_view digits = html.substr(at + 2);
    const bool hex = digits.starts_with('x') || digits.starts_with('X');
    if (hex) digits.remove_prefix(1);
    uint32_t number = 0;
    for (const char c : digits) {
      const bool digit = c >= '0' && c <= '9';
      const char letter = static_cast<char>(c | 0x20);
      if (!digit && !(hex && letter >= 'a' && letter <= 'f')) break;
      number = number * (hex ? 16 : 10) + static_cast<uint32_t>(digit ? c - '0' : letter - 'a' + 10);
    }
    if (number == 0xf0000) return true;
  }
  return false;
}

// Elements whose content the parser reads as text up to their end tag.
bool is_raw_element(std::string_view name) {
  constexpr std::string_view names[] = {"script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Behind the attribute that begins at `at`.
size_t end_of_attribute(std::string_view html, size_t at) {
  ++at;  // The first character belongs to the name, even a "=".
  while (at < html.size() && html[at] != '=' && html[at] != '>' && html[at] != '/' && !is_html_space(html[at])) ++at;
  size_t value = at;
  while (value < html.size() && is_html_space(html[value])) ++value;
  if (value >= html.size() || html[value] != '=') return at;
  ++value;
  while (value < html.size() && is_html_space(html[value])) ++value;
  if (value >= html.size()) return value;
  if (html[value] == '"' || html[value] == '\'') {
    const size_t end = html.find(html[value], value + 1);
    return end == std::string_view::npos ? html.size() : end + 1;
  }
  while (value < html.size() && html[value] != '>' && !is_html_space(html[value])) ++value;
  return value;
}

}  // namespace

HtmlFold::HtmlFold(std::string_view html, std::pmr::memory_resource* memory)
    : original_(html), folded_(memory), runs_(memory) {
  if (html.size() < smallest_page || has_character_of_mark(html) || !is_utf8(html)) return;
  folded_.reserve(html.size());
  size_t at = 0;
  while (at < html.size()) {
    const size_t tag = std::min(html.find('<', at), html.size());
    fold_text(html.substr(at, tag - at));
    at = tag < html.size() ? copy_tag(tag) : tag;
  }
}

size_t HtmlFold::copy_until(size_t from, size_t to) {
  to = std::min(to, original_.size());
  folded_ += original_.substr(from, to - from);
  return to;
}

// From a "<" to behind the tag or comment; the "<" alone when it is none.
size_t HtmlFold::copy_tag(size_t at) {
  const std::string_view rest = original_.substr(at);
  const char next = rest.size() > 1 ? rest[1] : ' ';
  if (rest.starts_with("<!--")) {
    const size_t end = original_.find("-->", at + 4);
    return copy_until(at, end == std::string_view::npos ? end : end + 3);
  }
  const bool closes = next == '/' && rest.size() > 2 && is_html_letter(rest[2]);
  if (!is_html_letter(next) && !closes) {
    const bool odd_comment = next == '!' || next == '?' || next == '/';
    const size_t end = odd_comment ? original_.find('>', at) : at;
    return copy_until(at, end == std::string_view::npos ? end : end + 1);
  }
  size_t end = at + (closes ? 2 : 1);
  const size_t name_start = end;
  while (end < original_.size() && original_[end] != '>' && original_[end] != '/' && !is_html_space(original_[end]))
    ++end;
  const std::string_view name = original_.substr(name_start, std::min<size_t>(end - name_start, 12));
  while (end < original_.size() && original_[end] != '>') {
    end = is_html_space(original_[end]) || original_[end] == '/' ? end + 1 : end_of_attribute(original_, end);
  }
  end = copy_until(at, end + 1);
  return closes ? end : copy_raw_element(end, lower(name));
}

size_t HtmlFold::copy_raw_element(size_t at, std::string_view name) {
  if (name == "plaintext") return copy_until(at, original_.size());
  if (!is_raw_element(name)) return at;
  size_t end = original_.find("</", at);
  while (end != std::string_view::npos && lower(original_.substr(end + 2, name.size())) != name) {
    end = original_.find("</", end + 2);
  }
  return copy_until(at, end);
}

// Spaces around a run stay outside, and so does what the parser changes (entities, NUL, CR), and what would end an
// attribute, should the parser be inside of one there.
void HtmlFold::fold_text(std::string_view text) {
  while (!text.empty()) {
    const size_t start = std::find_if_not(text.begin(), text.end(), is_html_space) - text.begin();
    folded_ += text.substr(0, start);
    text.remove_prefix(start);
    size_t end = std::min(text.find_first_of(std::string_view("&\0\r\"'>", 6)), text.size());
    const size_t next = end;
    while (end > 0 && is_html_space(text[end - 1])) --end;
    add_run(text.substr(0, end));
    size_t copied = std::min(next + 1, text.size());
    if (next < text.size() && text[next] == '&') {  // An entity whole; its name can be as long as it likes.
      while (copied < text.size() && is_entity_part(text[copied])) ++copied;
    }
    folded_ += text.substr(end, copied - end);
    text.remove_prefix(copied);
  }
}

void HtmlFold::add_run(std::string_view run) {
  if (run.size() < shortest_run || runs_.size() >= most_runs) {
    folded_ += run;
    return;
  }
  folded_ += fold_mark;
  for (int shift = 18; shift >= 0; shift -= 6) folded_ += static_cast<char>('?' + (runs_.size() >> shift & 63));
  runs_.push_back(run);
}

bool HtmlFold::has_mark(const char* text) { return std::strstr(text, fold_mark.data()) != nullptr; }

template <class Take>
void HtmlFold::each_piece(std::string_view text, Take take) const {
  for (;;) {
    const size_t at = std::min(text.find(fold_mark), text.size());
    take(text.substr(0, at));
    if (text.size() - at < mark_length) return take(text.substr(at));
    size_t number = 0;
    for (size_t i = fold_mark.size(); i < mark_length; ++i)
      number = number << 6 | static_cast<size_t>(text[at + i] - '?');
    if (number < runs_.size()) take(runs_[number]);
    text.remove_prefix(at + mark_length);
  }
}

std::pmr::string HtmlFold::unfold(std::string_view text) const {
  size_t size = 0;
  each_piece(text, [&size](std::string_view piece) { size += piece.size(); });
  std::pmr::string out(folded_.get_allocator());
  out.reserve(size);
  each_piece(text, [&out](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace talaria
