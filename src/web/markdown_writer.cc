#include "web/markdown_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "web/html_fold.h"

namespace talaria {
namespace {

constexpr size_t deepest_nesting = 16;
constexpr std::string_view mark_texts[] = {"**", "*", "~~", "["};

std::string_view text_of(MarkdownWriter::Mark mark) { return mark_texts[static_cast<size_t>(mark)]; }

enum class CharacterKind : uint8_t { plain, space, special };

constexpr std::array<CharacterKind, 256> make_character_kinds() {
  std::array<CharacterKind, 256> kinds{};
  for (size_t i = 0; i < 0x20; ++i) kinds[i] = CharacterKind::special;
  for (const char c : {' ', '\t', '\n', '\r', '\f'}) kinds[static_cast<unsigned char>(c)] = CharacterKind::space;
  // The last two begin the odd spaces: U+00A0, U+00AD, U+200B.
  for (const char c : {'\\', '`', '*', '_', '[', ']', '(', '<', '&',    '#',    '>',
                       '-',  '+', '=', '.', ')', '|', '~', ':', '\x7f', '\xc2', '\xe2'}) {
    kinds[static_cast<unsigned char>(c)] = CharacterKind::special;
  }
  return kinds;
}
constexpr std::array<CharacterKind, 256> kinds = make_character_kinds();

CharacterKind kind_of_character(char c) { return kinds[static_cast<unsigned char>(c)]; }

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_markdown_space(char c) { return kind_of_character(c) == CharacterKind::space; }
bool is_punctuation(char c) { return c > ' ' && c < '\x7f' && !is_word(c); }

bool looks_like_entity(std::string_view text) {
  const size_t end = text.substr(0, 32).find(';');
  if (end == std::string_view::npos || end < 2) return false;
  return std::all_of(text.begin() + 1, text.begin() + static_cast<ptrdiff_t>(end),
                     [](char c) { return is_word(c) || c == '#'; });
}

}  // namespace

void MarkdownWriter::text(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    switch (kind_of_character(c)) {
      case CharacterKind::space:
        pending_space_ = true;
        ++at;
        break;
      case CharacterKind::plain: {
        size_t end = at + 1;
        while (end < text.size() && kind_of_character(text[end]) == CharacterKind::plain) ++end;
        before_content();
        out_.append(text, at, end - at);
        at_line_start_ = false;
        at = end;
        break;
      }
      case CharacterKind::special:
        if (const size_t skipped = skip_odd_space(text, at)) {
          at += skipped;
          break;
        }
        before_content();
        append_special(text, at);
        at_line_start_ = false;
        ++at;
        break;
    }
  }
}

// No-break spaces are spaces; soft hyphens, zero-width spaces and control characters are nothing.
size_t MarkdownWriter::skip_odd_space(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at, 3);
  const auto byte = static_cast<unsigned char>(rest[0]);
  if (byte < 0x20 || byte == 0x7f) return 1;
  if (rest.starts_with("\xc2\xa0")) {
    pending_space_ = true;
    return 2;
  }
  const bool c1_control = rest.size() > 1 && byte == 0xc2 && static_cast<unsigned char>(rest[1]) < 0xa0;
  if (c1_control || rest.starts_with("\xc2\xad")) return 2;
  return rest == "\xe2\x80\x8b" ? 3 : 0;
}

void MarkdownWriter::append_special(std::string_view text, size_t at) {
  if (needs_escape(text, at) || needs_escape_at_line_start(text, at)) out_ += '\\';
  out_ += text[at];
}

bool MarkdownWriter::needs_escape(std::string_view text, size_t at) const {
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  const char before = out_.empty() ? '\n' : out_.back();
  const bool in_link = mark_depths_[static_cast<size_t>(Mark::link)] > 0;
  switch (c) {
    case '\\': return is_punctuation(next);
    case '`': return true;
    case '*': return !(is_markdown_space(before) && is_markdown_space(next));
    case '_': return !(is_word(before) && is_word(next)) && !(is_markdown_space(before) && is_markdown_space(next));
    case '[':
    case ']': return in_link;
    case '(': return before == ']';
    case '<': return is_html_letter(next) || next == '/' || next == '!' || next == '?';
    case '&': return looks_like_entity(text.substr(at));
    case '|': return lines_ == Lines::one;
    case '~': return next == '~' || before == '~';
    default: return false;
  }
}

bool MarkdownWriter::needs_escape_at_line_start(std::string_view text, size_t at) const {
  if (in_heading_ || lines_ == Lines::one) return false;
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  const std::string_view line = std::string_view(out_).substr(std::min(line_start_, out_.size()));
  switch (c) {
    case '#': {
      const bool only_hashes = line.empty();
      const size_t end = text.find_first_not_of('#', at);
      return only_hashes && (end == std::string_view::npos || is_markdown_space(text[end]));
    }
    case '>': return at_line_start_;
    case '-':
    case '=':
      if (!at_line_start_) return false;
      // A line of them alone is a rule, or makes a heading of the line before.
      if (text.find_first_not_of(c == '-' ? "- " : "= ", at) == std::string_view::npos) return c == '-' || continued_;
      return c == '-' && is_markdown_space(next);
    case '+':
    case '*': return at_line_start_ && is_markdown_space(next);
    case '.':
    case ')':
      return is_markdown_space(next) && !line.empty() && line.size() < 10 &&
             std::all_of(line.begin(), line.end(), [](char digit) { return digit >= '0' && digit <= '9'; });
    case ':': return line.starts_with('[') && line.ends_with(']');
    default: return false;
  }
}

void MarkdownWriter::raw(std::string_view markdown) {
  before_content();
  out_ += markdown;
  at_line_start_ = false;
}

void MarkdownWriter::before_content() {
  if (wanted_newlines_ > 0 || out_.empty()) start_block();
  if (pending_breaks_ > 0) {
    out_ += "  \n";
    write_prefix();
    continued_ = true;
  }
  if (pending_space_ && !at_line_start_) out_ += ' ';
  pending_breaks_ = 0;
  pending_space_ = false;
  if (!heading_.empty()) {
    out_ += heading_;
    heading_.clear();
    line_start_ = out_.size();
  }
  write_marks();
}

void MarkdownWriter::start_block() {
  if (!out_.empty()) {
    out_ += '\n';
    if (wanted_newlines_ > 1) out_ += blank_prefix() + "\n";
  }
  write_prefix();
  wanted_newlines_ = 0;
  pending_breaks_ = 0;
  pending_space_ = false;
  continued_ = false;
}

void MarkdownWriter::write_prefix() {
  for (Container& container : containers_) {
    out_ += container.begun ? container.rest : container.first;
    container.begun = true;
  }
  at_line_start_ = true;
  line_start_ = out_.size();
}

// An empty line between two blocks is inside only what both are inside of.
std::string MarkdownWriter::blank_prefix() const {
  std::string prefix;
  for (const Container& container : containers_) {
    if (!container.begun) break;
    prefix += container.rest;
  }
  prefix.erase(prefix.find_last_not_of(' ') + 1);
  return prefix;
}

void MarkdownWriter::write_marks() {
  for (OpenMark& mark : marks_) {
    if (mark.written) continue;
    const std::string_view text = text_of(mark.mark);
    mark.written = true;
    // <b>a</b><b>b</b> is one mark: "**a****b**" would be none.
    const bool touches = last_close_ == out_.size() && last_closed_ == mark.mark && mark.mark != Mark::link;
    if (touches && !out_.empty()) {
      out_.resize(out_.size() - text.size());
      continue;
    }
    if (mark.mark == Mark::link && out_.ends_with('!')) out_.insert(out_.size() - 1, "\\");
    out_ += text;
    at_line_start_ = false;
  }
}

void MarkdownWriter::close_marks() {
  for (auto mark = marks_.rbegin(); mark != marks_.rend(); ++mark) {
    if (!mark->written) continue;
    out_ += mark->close;
    mark->written = false;
  }
}

void MarkdownWriter::open(Mark mark, std::string close) {
  if (mark_depths_[static_cast<size_t>(mark)]++ > 0) return;
  marks_.push_back({mark, mark == Mark::link ? std::move(close) : std::string(text_of(mark)), false});
}

void MarkdownWriter::close(Mark mark) {
  if (--mark_depths_[static_cast<size_t>(mark)] > 0) return;
  const auto found =
      std::find_if(marks_.begin(), marks_.end(), [&](const OpenMark& open) { return open.mark == mark; });
  if (found->written) {
    out_ += found->close;
    last_close_ = out_.size();
    last_closed_ = mark;
  }
  marks_.erase(found);
}

void MarkdownWriter::line_break() {
  if (lines_ == Lines::one || in_heading_) {
    pending_space_ = true;
    return;
  }
  if (block_is_empty() || !heading_.empty()) return;
  // Two in a row are how old pages end a paragraph.
  if (++pending_breaks_ >= 2) block();
}

void MarkdownWriter::block(int newlines) {
  // The first block of an item or quote stands where that begins.
  const bool begins = wanted_newlines_ > 0 && !containers_.empty() && !containers_.back().begun;
  block_exactly(begins ? wanted_newlines_ : std::max(wanted_newlines_, newlines));
}

void MarkdownWriter::block_exactly(int newlines) {
  if (lines_ == Lines::one || in_heading_) {
    pending_space_ = true;
    return;
  }
  if (wanted_newlines_ == 0) close_marks();
  wanted_newlines_ = newlines;
  pending_breaks_ = 0;
  pending_space_ = false;
}

void MarkdownWriter::begin_heading(int level) {
  block();
  if (lines_ == Lines::one) return;
  heading_ = std::string(static_cast<size_t>(level), '#') + " ";
  in_heading_ = true;
}

void MarkdownWriter::end_heading() {
  // "# a #" would lose its last mark.
  if (in_heading_ && heading_.empty() && out_.ends_with(" #")) out_.insert(out_.size() - 1, "\\");
  in_heading_ = false;
  heading_.clear();
  block();
}

void MarkdownWriter::literal(std::string_view lines) {
  block();
  start_block();
  const size_t prefix_end = out_.size();
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (out_.size() != prefix_end) {
      const std::string blank = blank_prefix();
      out_ += '\n';
      if (end == 0) out_ += blank;
      else write_prefix();
    }
    out_.append(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  block();
}

void MarkdownWriter::enter(std::string first, std::string rest) {
  if (containers_.size() >= deepest_nesting || lines_ == Lines::one || in_heading_) {
    ++skipped_containers_;
    return;
  }
  containers_.push_back({std::move(first), std::move(rest), false});
}

void MarkdownWriter::leave() {
  if (skipped_containers_ > 0) --skipped_containers_;
  else containers_.pop_back();
}

std::pmr::string MarkdownWriter::take() {
  close_marks();
  return std::move(out_);
}

}  // namespace talaria
