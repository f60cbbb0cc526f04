#include "patch/replace.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "patch/document.h"
#include "patch/escapes.h"
#include "patch/nearest_section.h"
#include "patch/normal_form.h"
#include "patch/render.h"
#include "patch/similar_strategies.h"
#include "patch/strategies.h"

namespace talaria {
namespace {

using Outcome = std::variant<Replaced, ReplaceFailure>;

constexpr size_t most_text_bytes = size_t{64} << 20;
constexpr size_t most_listed_matches = 5;
constexpr size_t most_nearest_shown = 3;
// So much text does not come about twice by chance.
constexpr size_t telling_bytes = 40;

ReplaceFailure wrong(std::string message) { return {ReplaceFailure::Kind::wrong_arguments, std::move(message), {}}; }

bool has_words(std::string_view text) { return !trim(text).empty(); }

size_t count_newlines(std::string_view text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

LineRange lines_at(std::string_view text, const Passage& place) {
  const size_t first = 1 + count_newlines(text.substr(0, place.begin));
  const std::string_view part = place.of(text);
  return {first, first + count_newlines(part) - (part.ends_with('\n') ? 1 : 0)};
}

// Puts replacements into a document from left to right, and keeps track of the lines on both sides.
class Splicer {
 public:
  explicit Splicer(const Document& document) : document_(document), text_(document.text()) {
    result_.text.reserve(document.original().size());
  }

  void replace(const Passage& place, std::string_view replacement) {
    const std::string_view between = text_.substr(at_, place.begin - at_);
    line_ += count_newlines(between);
    if (!between.empty()) last_ = between.back();
    note_lines(place, replacement);
    const size_t from = document_.original_offset(place.begin);
    result_.text += document_.original().substr(copied_, from - copied_);
    result_.text += document_.with_line_ends(replacement, place.begin, place.end);
    copied_ = document_.original_offset(place.end);
    at_ = place.end;
    if (!replacement.empty()) last_ = replacement.back();
  }

  // Of the text so far.
  size_t size() const { return result_.text.size(); }

  Replaced finish() && {
    result_.text += document_.original().substr(copied_);
    result_.replacements = result_.before.size();
    // Several that each took a part of the last line may have taken all of it.
    const size_t lines = lines_in_result();
    for (LineRange& range : result_.after) range = {std::min(range.first, lines + 1), std::min(range.last, lines)};
    return std::move(result_);
  }

 private:
  size_t lines_in_result() const {
    const std::string_view rest = text_.substr(at_);
    const size_t newlines = line_ - 1 + lines_gained_ - lines_lost_ + count_newlines(rest);
    return newlines + ((rest.empty() ? last_ : rest.back()) == '\n' ? 0 : 1);
  }

  void note_lines(const Passage& place, std::string_view replacement) {
    const std::string_view old_text = place.of(text_);
    const size_t old_newlines = count_newlines(old_text), new_newlines = count_newlines(replacement);
    const bool ended = old_text.ends_with('\n'), ends = replacement.ends_with('\n');
    const bool at_text_end = place.end == text_.size();
    const bool removes_lines = replacement.empty() && last_ == '\n' && (ended || at_text_end);
    const size_t first = line_ + lines_gained_ - lines_lost_;
    LineRange before{line_, line_ + old_newlines - (ended ? 1 : 0)};
    // Without its line end the last line runs into the next.
    if (ended && !ends && !removes_lines && !at_text_end) ++before.last;
    LineRange after{first, first + new_newlines};
    if (removes_lines || (ends && (ended || at_text_end))) --after.last;
    result_.before.push_back(before);
    result_.after.push_back(after);
    line_ += old_newlines;
    lines_lost_ += old_newlines;
    lines_gained_ += new_newlines;
  }

  const Document& document_;
  std::string_view text_;
  Replaced result_;
  size_t at_ = 0;      // of text_
  size_t copied_ = 0;  // of the original
  size_t line_ = 1;
  size_t lines_lost_ = 0, lines_gained_ = 0;
  char last_ = '\n';  // before the place we are at, in the new text
};

ReplaceFailure ambiguous(std::string_view text, const Found& found) {
  const size_t count = found.places.size();
  ReplaceFailure failure{ReplaceFailure::Kind::ambiguous, {}, {}};
  failure.message = "Found " + std::to_string(count) + " matches for old_string (" + std::string(found.strategy) +
                    "). Add lines around it to old_string until it is unique, or set replace_all to change every exact "
                    "match. Matches:";
  size_t line = 1, at = 0;
  for (const Passage& place : found.places) {
    line += count_newlines(text.substr(at, place.begin - at));
    at = place.begin;
    const std::string_view part = place.of(text);
    failure.candidates.push_back({line, line + count_newlines(part) - (part.ends_with('\n') ? 1 : 0)});
    if (failure.candidates.size() > most_listed_matches) continue;
    const size_t newline = place.begin == 0 ? std::string_view::npos : text.rfind('\n', place.begin - 1);
    const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view whole = text.substr(start, text.find('\n', place.begin) - start);
    failure.message += "\n  L" + std::to_string(line) + ": " + printable(trim_blanks(whole));
  }
  if (count > most_listed_matches)
    failure.message += "\n  … and " + std::to_string(count - most_listed_matches) + " more";
  return failure;
}

// "12|text" or "  12|text" in every line: as pages of a file are shown.
bool has_line_numbers(const std::vector<std::string_view>& lines) {
  return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    line = trim_blanks(line);
    const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits > 0 && digits < line.size() && line[digits] == '|';
  });
}

ReplaceFailure not_found(PassageSearch& search) {
  ReplaceFailure failure{ReplaceFailure::Kind::not_found, "old_string was not found.", {}};
  const std::vector<std::string_view> wanted = lines_of(LinePair(search.old_text(), {}).old_text);
  if (has_line_numbers(wanted)) {
    failure.message += " Its lines begin with line numbers, as they are shown but not in the file: leave those out.";
    return failure;
  }
  const std::vector<Section> sections = nearest_sections(search.lines(), wanted, most_nearest_shown);
  if (sections.empty()) {
    failure.message += " Nothing in the file is like it: read the file again.";
    return failure;
  }
  failure.message += " Did you mean one of these sections? (- old_string, + the file)\n";
  for (const Section& section : sections) {
    failure.message += "\n" + describe(section, search.lines(), wanted);
    failure.candidates.push_back({section.first + 1, section.first + section.count});
  }
  return failure;
}

class Replacement {
 public:
  Replacement(std::string_view text, const ReplaceRequest& request)
      : request_(request),
        document_(text),
        old_text_(document_.in_its_terms(request.old_string)),
        new_text_(document_.in_its_terms(request.new_string)),
        search_(document_.text(), old_text_, new_text_) {}

  Outcome run() {
    if (old_text_ == new_text_) {
      return wrong("old_string and new_string differ only in their line ends, and the file's own line ends are kept.");
    }
    if (std::optional<Found> found = find_passages(search_)) {
      if (found->strategy != "exact" && is_plainly_done()) return no_change("");
      if (found->strategy != "exact") leave_out_done(*found);
      if (found->places.empty()) return no_change(found->strategy);
      return apply(*found);
    }
    const size_t done = done_places().size();
    if (done == 1 || (done > 0 && (request_.replace_all || is_telling()))) return no_change("");
    // A short new_string may be at several places by chance: a passage that is nearly old_string says more than that.
    if (!request_.replace_all) {
      if (const std::optional<Found> found = find_similar(search_)) return apply(*found);
    }
    return not_found(search_);
  }

 private:
  // The places of new_string, as the caller wrote it or fitted to the file.
  std::vector<Passage> done_places() {
    if (!has_words(new_text_)) return {};
    std::vector<Passage> places = find_all(document_.text(), new_text_);
    return places.empty() ? find_trimmed_lines(search_, LinePair(new_text_, new_text_).old_text) : places;
  }

  // What is part of a new_string that is already there must not be changed again.
  void leave_out_done(Found& found) {
    const std::vector<Passage> done = done_places();
    std::erase_if(found.places, [&](const Passage& place) {
      const std::string_view words = trim(place.of(document_.text()));
      const auto begin = static_cast<size_t>(words.data() - document_.text().data());
      // The last that begins at or before it.
      auto covering = std::upper_bound(done.begin(), done.end(), begin,
                                       [](size_t value, const Passage& other) { return value < other.begin; });
      return covering != done.begin() && std::prev(covering)->end >= begin + words.size();
    });
  }

  // Enough text to be no other that happens to be the same.
  bool is_telling() const {
    const std::string_view words = trim(new_text_);
    return words.size() >= telling_bytes || words.find('\n') != std::string_view::npos;
  }

  // A caller that asks twice must not have another place changed that only is like the first.
  bool is_plainly_done() { return is_telling() && !done_places().empty(); }

  Replaced no_change(std::string_view strategy) {
    Replaced result;
    result.text = document_.original();
    result.strategy = strategy;
    result.no_change = true;
    result.note = "Nothing to do: the file already reads as new_string would make it";
    const std::vector<Passage> done = done_places();
    if (!done.empty()) result.note += " (line " + std::to_string(lines_at(document_.text(), done.front()).first) + ")";
    result.note += ".";
    return result;
  }

  Outcome apply(const Found& found) {
    if (found.places.size() > 1 && !request_.replace_all) return ambiguous(document_.text(), found);
    Splicer splicer(document_);
    const Renderer renderer(document_.text(), found);
    for (const Passage& place : found.places) {
      const std::string replacement = renderer.render(place);
      if (found.strategy != "exact") {
        if (const auto reason = stray_escape(request_.old_string, replacement, place.of(document_.text()))) {
          ReplaceFailure failure = wrong(*reason);
          failure.candidates.push_back(lines_at(document_.text(), place));
          return failure;
        }
      }
      splicer.replace(place, replacement);
      if (splicer.size() > most_text_bytes) {
        return wrong("the text would become too long: at most " + human_bytes(most_text_bytes) + ".");
      }
    }
    Replaced result = std::move(splicer).finish();
    if (result.text == document_.original()) return no_change(found.strategy);
    result.strategy = found.strategy;
    return result;
  }

  const ReplaceRequest& request_;
  Document document_;
  std::string old_text_, new_text_;
  PassageSearch search_;
};

}  // namespace

std::variant<Replaced, ReplaceFailure> replace_text(std::string_view text, const ReplaceRequest& request) {
  if (request.old_string.empty()) return wrong("old_string is empty: give the text to replace.");
  if (!has_words(request.old_string)) {
    return wrong("old_string has only blanks, which are everywhere: add the text around them.");
  }
  if (request.old_string == request.new_string) return wrong("old_string and new_string are the same.");
  if (!is_utf8(request.old_string) || !is_utf8(request.new_string)) {
    return wrong("old_string and new_string must be valid UTF-8.");
  }
  if (std::max({text.size(), request.old_string.size(), request.new_string.size()}) > most_text_bytes) {
    return wrong("the text is too long to edit: at most " + human_bytes(most_text_bytes) + ".");
  }
  return Replacement(text, request).run();
}

}  // namespace talaria
