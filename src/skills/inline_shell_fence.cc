#include "skills/inline_shell_fence.h"

#include <algorithm>
#include <cctype>

namespace talaria {
namespace {

constexpr size_t most_indent = 3;  // a fourth blank makes indented code

// A line being read from the left; columns count tabs as Markdown does.
struct MarkdownLine {
  std::string_view rest;
  size_t column = 0;

  bool done() const { return rest.empty(); }
  char front() const { return rest.empty() ? '\0' : rest.front(); }
  bool at_blank() const { return front() == ' ' || front() == '\t'; }
  void take() {
    column += rest.front() == '\t' ? 4 - column % 4 : 1;
    rest.remove_prefix(1);
  }
  void skip_blanks() {
    while (at_blank()) take();
  }
};

// Takes up to `most` quotation marks with the blank after each; columns begin anew behind them.
size_t skip_quotes(MarkdownLine& line, size_t most) {
  size_t quotes = 0;
  while (quotes < most) {
    MarkdownLine ahead = line;
    ahead.skip_blanks();
    if (ahead.front() != '>' || ahead.column - line.column > most_indent) break;
    ahead.take();
    if (ahead.at_blank()) ahead.take();
    line = {ahead.rest, 0};
    ++quotes;
  }
  return quotes;
}

// Takes "- ", "* ", "+ ", "1. " or "1) " with the blanks that belong to it, and says whether there was one.
bool skip_list_marker(MarkdownLine& line) {
  MarkdownLine ahead = line;
  if (ahead.front() == '-' || ahead.front() == '*' || ahead.front() == '+') {
    ahead.take();
  } else {
    size_t digits = 0;
    for (; digits < 9 && std::isdigit(static_cast<unsigned char>(ahead.front())); ++digits) ahead.take();
    if (digits == 0 || (ahead.front() != '.' && ahead.front() != ')')) return false;
    ahead.take();
  }
  if (!ahead.at_blank()) return false;
  const MarkdownLine behind_marker = ahead;
  ahead.skip_blanks();
  // More blanks than four: the item begins with indented code.
  if (ahead.done() || ahead.column - behind_marker.column > most_indent + 1) {
    ahead = behind_marker;
    ahead.take();
  }
  line = ahead;
  return true;
}

size_t run_length(std::string_view text, char mark) { return std::min(text.find_first_not_of(mark), text.size()); }

}  // namespace

bool FenceReader::takes(std::string_view line) {
  if (open_) {
    if (closes(line)) open_.reset();
    return true;
  }
  return opens(line);
}

bool FenceReader::closes(std::string_view text) const {
  MarkdownLine line{text};
  skip_quotes(line, open_->quotes);
  line.skip_blanks();
  if (line.column > open_->column + most_indent) return false;
  const size_t length = run_length(line.rest, open_->mark);
  return length >= open_->length && line.rest.find_first_not_of(" \t", length) == std::string_view::npos;
}

bool FenceReader::opens(std::string_view text) {
  MarkdownLine line{text};
  const size_t quotes = skip_quotes(line, text.size());
  line.skip_blanks();
  if (line.done()) return false;
  while (!lists_.empty() && line.column < lists_.back()) lists_.pop_back();
  while (line.column <= (lists_.empty() ? 0 : lists_.back()) + most_indent && skip_list_marker(line)) {
    lists_.push_back(line.column);
    line.skip_blanks();
  }
  const size_t column = lists_.empty() ? 0 : lists_.back();
  const char mark = line.front();
  if (line.column > column + most_indent || (mark != '`' && mark != '~')) return false;
  const size_t length = run_length(line.rest, mark);
  if (length < 3) return false;
  // ```code``` on one line is a code span.
  if (mark == '`' && line.rest.find('`', length) != std::string_view::npos) return false;
  open_ = Fence{mark, length, column, quotes};
  return true;
}

}  // namespace talaria
