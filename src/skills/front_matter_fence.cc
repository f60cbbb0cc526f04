#include "skills/front_matter_fence.h"

#include <algorithm>

#include "skills/front_matter_lines.h"

namespace talaria {

namespace {

struct Wrapper {  // a code fence around it all
  char mark = '\0';
  size_t length = 0;
};

size_t run_of(std::string_view line, char mark) {
  const size_t end = line.find_first_not_of(mark);
  return end == std::string_view::npos ? line.size() : end;
}

// A line of backticks or tildes; info text may follow.
Wrapper code_fence(std::string_view line) {
  const size_t at = line.find_first_not_of(' ');
  if (at == std::string_view::npos || at > 3 || (line[at] != '`' && line[at] != '~')) return {};
  const size_t length = run_of(line.substr(at), line[at]);
  return length >= 3 ? Wrapper{line[at], length} : Wrapper{};
}

bool is_bare(std::string_view line, Wrapper fence) {
  return line.find_last_not_of(std::string{fence.mark, ' ', '\t'}) == std::string_view::npos;
}

// Goes behind blank lines and HTML comments.
void skip_preamble(MatterLineReader& lines) {
  while (!lines.at_end()) {
    const MatterLineReader before = lines;
    const std::string_view line = lines.next();
    if (is_blank_line(line)) continue;
    if (!line.starts_with("<!--") || !lines.go_behind("-->", before)) {
      lines = before;
      return;
    }
  }
}

// The wrapper's own closing line is no part of the body.
std::string without_wrapper(std::string_view body, Wrapper wrapper) {
  MatterLineReader lines(body, 1);
  Wrapper open;
  size_t opened = 0, behind = 0;
  bool first = true;
  while (!lines.at_end()) {
    const size_t at = lines.offset();
    const std::string_view line = lines.next();
    if (is_blank_line(line)) continue;
    const Wrapper fence = code_fence(line);
    const bool closes = fence.mark == wrapper.mark && fence.length >= wrapper.length && is_bare(line, fence);
    if (first && closes) return std::string(body.substr(lines.offset()));
    first = false;
    if (fence.length == 0) continue;
    if (open.length == 0) {
      open = fence;
      opened = closes ? at : body.size();
      behind = lines.offset();
    } else if (fence.mark == open.mark && fence.length >= open.length && is_bare(line, fence)) {
      open = {};
    }
  }
  if (open.length == 0 || opened == body.size()) return std::string(body);
  return std::string(body.substr(0, opened)) + std::string(body.substr(behind));
}

void set_body(FenceSpan& span, std::string_view body, size_t line, Wrapper wrapper) {
  span.body = wrapper.length > 0 ? without_wrapper(body, wrapper) : std::string(body);
  span.body_line = line;
}

void close_span(FenceSpan& span, std::string_view text, size_t start, MatterLineReader lines, Wrapper wrapper) {
  while (!lines.at_end()) {
    const size_t at = lines.offset();
    if (!is_closing_fence(lines.next())) continue;
    span.source = text.substr(start, at - start);
    return set_body(span, text.substr(lines.offset()), lines.number(), wrapper);
  }
  const GuessedEnd guess = guess_end(text.substr(start), span.source_line);
  span.source = text.substr(start, guess.source_size);
  span.end = start + guess.source_size == text.size() ? FenceSpan::End::file : FenceSpan::End::guessed;
  set_body(span, text.substr(start + guess.body_offset), guess.body_line, wrapper);
}

}  // namespace

FenceSpan find_front_matter(std::string_view text) {
  FenceSpan span;
  MatterLineReader lines(text, 1);
  // Almost always the first line is the fence.
  if (!text.starts_with("---\n")) skip_preamble(lines);
  Wrapper wrapper;
  const MatterLineReader at_wrapper = lines;
  if (wrapper = code_fence(lines.peek()); wrapper.length > 0) {
    lines.next();
    skip_preamble(lines);
  }
  const size_t opening = lines.number();
  if (lines.at_end() || !is_opening_fence(lines.next())) {
    span.body = text;
    return span;
  }
  span.found = true;
  if (wrapper.length > 0) {
    span.diagnostics.push_back(
        {Severity::warning, at_wrapper.number(), "the file is inside a code fence; read without it"});
  } else if (opening > 1) {
    span.diagnostics.push_back(
        {Severity::warning, opening, "the front matter does not start on the first line; other programs may miss it"});
  }
  span.source_line = lines.number();
  close_span(span, text, lines.offset(), lines, wrapper);
  if (span.end == FenceSpan::End::guessed) {
    span.diagnostics.push_back(
        {Severity::warning, span.body_line, "the front matter is never closed; taken to end before this line"});
  } else if (span.end == FenceSpan::End::file) {
    span.diagnostics.push_back(
        {Severity::warning, opening, "the front matter is never closed; taken to be the whole file"});
  }
  return span;
}

FenceSpan find_earlier_end(std::string_view text, const FenceSpan& span) {
  FenceSpan earlier;
  if (!span.found || span.end != FenceSpan::End::fence) return earlier;
  const GuessedEnd guess = guess_end(span.source, span.source_line);
  if (!guess.at_heading) return earlier;
  const size_t start = static_cast<size_t>(span.source.data() - text.data());
  earlier = span;
  earlier.end = FenceSpan::End::guessed;
  earlier.source = span.source.substr(0, guess.source_size);
  earlier.body = text.substr(start + guess.body_offset);
  earlier.body_line = guess.body_line;
  earlier.diagnostics.push_back(
      {Severity::warning, guess.body_line, "the front matter is not closed before this heading; taken to end here"});
  return earlier;
}

}  // namespace talaria
