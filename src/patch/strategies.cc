#include "patch/strategies.h"

#include "patch/document.h"
#include "patch/escapes.h"
#include "patch/folded_search.h"
#include "patch/normal_form.h"

namespace talaria {
namespace {

std::optional<Found> found(std::string_view strategy, std::vector<Passage> places, std::string_view old_text,
                           std::string_view new_text, Rendering rendering = Rendering::fitted) {
  if (places.empty()) return std::nullopt;
  return Found{strategy, std::move(places), std::string(old_text), std::string(new_text), rendering};
}

std::vector<Passage> find_lines(PassageSearch& search, const LinePair& pair) {
  std::vector<Passage> places = find_trimmed_lines(search, pair.old_text);
  if (!pair.removes_line_end) return places;
  for (Passage& place : places) place.end += place.end < search.text().size();
  return places;
}

std::optional<Found> find_exact(PassageSearch& search) {
  return found("exact", find_all(search.text(), search.old_text()), search.old_text(), search.new_text(),
               Rendering::verbatim);
}

std::optional<Found> find_line_trimmed(PassageSearch& search) {
  const LinePair pair(search.old_text(), search.new_text());
  return found("line_trimmed", find_lines(search, pair), pair.old_text, pair.new_text);
}

std::optional<Found> find_whitespace_normalized(PassageSearch& search) {
  const LinePair pair(search.old_text(), search.new_text());
  return found("whitespace_normalized", find_folded(search.text(), pair, Blanks::collapsed, Typography::kept),
               pair.old_text, pair.new_text);
}

std::optional<Found> find_indentation_flexible(PassageSearch& search) {
  const LinePair pair(search.old_text(), search.new_text());
  return found("indentation_flexible", find_folded(search.text(), pair, Blanks::unindented, Typography::kept),
               pair.old_text, pair.new_text);
}

std::optional<Found> find_escape_normalized(PassageSearch& search) {
  for (const Unescaped& reading : unescape(search.old_text(), search.new_text())) {
    if (trim_blanks(reading.old_text).find_first_not_of('\n') == std::string_view::npos) continue;
    std::vector<Passage> places = find_all(search.text(), reading.old_text);
    const Rendering rendering = places.empty() ? Rendering::fitted : Rendering::verbatim;
    if (rendering == Rendering::verbatim) {
      return found("escape_normalized", std::move(places), reading.old_text, reading.new_text, rendering);
    }
    const LinePair pair(reading.old_text, reading.new_text);
    places = find_lines(search, pair);
    if (!places.empty()) return found("escape_normalized", std::move(places), pair.old_text, pair.new_text);
  }
  return std::nullopt;
}

// Takes one blank line after the other off the front of `old_text`, and as many off `new_text` if it has them.
void drop_first_blank_lines(std::string_view& old_text, std::string_view& new_text) {
  for (size_t end; (end = old_text.find('\n')) != std::string_view::npos && is_blank(old_text.substr(0, end));) {
    old_text.remove_prefix(end + 1);
    const size_t new_end = new_text.find('\n');
    if (new_end != std::string_view::npos && is_blank(new_text.substr(0, new_end))) new_text.remove_prefix(new_end + 1);
  }
}

void drop_last_blank_lines(std::string_view& old_text, std::string_view& new_text) {
  for (size_t end; (end = old_text.rfind('\n')) != std::string_view::npos && is_blank(old_text.substr(end + 1));) {
    old_text = old_text.substr(0, end);
    const size_t new_end = new_text.rfind('\n');
    if (new_end != std::string_view::npos && is_blank(new_text.substr(new_end + 1))) {
      new_text = new_text.substr(0, new_end);
    }
  }
}

std::optional<Found> find_trimmed_boundary(PassageSearch& search) {
  LinePair pair(search.old_text(), search.new_text());
  drop_first_blank_lines(pair.old_text, pair.new_text);
  drop_last_blank_lines(pair.old_text, pair.new_text);
  std::vector<Passage> places = find_lines(search, pair);
  if (!places.empty()) return found("trimmed_boundary", std::move(places), pair.old_text, pair.new_text);
  if (trim_right(pair.old_text).size() < pair.old_text.size()) pair.new_text = trim_right(pair.new_text);
  pair.old_text = trim_right(pair.old_text);
  pair.ends_line = false;
  // What began with blanks may begin in the middle of a line here.
  const size_t indent = indent_of(pair.old_text).size();
  LinePair unindented = pair;
  unindented.old_text.remove_prefix(indent);
  return found("trimmed_boundary", find_folded(search.text(), unindented, Blanks::kept, Typography::kept),
               pair.old_text, pair.new_text);
}

std::optional<Found> find_unicode_normalized(PassageSearch& search) {
  if (is_ascii(search.old_text()) && is_ascii(search.text())) return std::nullopt;
  const LinePair pair(search.old_text(), search.new_text());
  for (Blanks blanks : {Blanks::kept, Blanks::unindented}) {
    for (Typography typography : {Typography::folded, Typography::wide_dash}) {
      std::vector<Passage> places = find_folded(search.text(), pair, blanks, typography);
      if (places.empty()) continue;
      return found("unicode_normalized", std::move(places), pair.old_text, pair.new_text, Rendering::typography);
    }
  }
  return std::nullopt;
}

}  // namespace

const std::vector<std::string_view>& PassageSearch::lines() {
  if (!lines_) lines_ = lines_of(text_);
  return *lines_;
}

const LineHashes& PassageSearch::trimmed_hashes() {
  if (!trimmed_hashes_) trimmed_hashes_ = hash_trimmed(lines());
  return *trimmed_hashes_;
}

Passage PassageSearch::whole_lines(size_t first, size_t count) {
  const std::string_view head = lines()[first], tail = lines()[first + count - 1];
  return {static_cast<size_t>(head.data() - text_.data()),
          static_cast<size_t>(tail.data() - text_.data()) + tail.size()};
}

LinePair::LinePair(std::string_view old_string, std::string_view new_string)
    : old_text(old_string), new_text(new_string), ends_line(old_string.ends_with('\n')) {
  if (!ends_line) return;
  old_text.remove_suffix(1);
  removes_line_end = new_text.empty();
  if (new_text.ends_with('\n')) new_text.remove_suffix(1);
}

std::vector<Passage> find_trimmed_lines(PassageSearch& search, std::string_view wanted) {
  const std::vector<std::string_view> lines = pieces_of(wanted);
  std::vector<Passage> places;
  for (size_t first : find_sequence(search.trimmed_hashes(), hash_trimmed(lines), Overlap::skipped)) {
    places.push_back(search.whole_lines(first, lines.size()));
  }
  return places;
}

std::optional<Found> find_passages(PassageSearch& search) {
  for (const auto strategy : {find_exact, find_line_trimmed, find_whitespace_normalized, find_indentation_flexible,
                              find_escape_normalized, find_trimmed_boundary, find_unicode_normalized}) {
    if (std::optional<Found> result = strategy(search)) return result;
  }
  return std::nullopt;
}

}  // namespace talaria
