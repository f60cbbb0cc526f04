#include "patch/working_lines.h"

#include <algorithm>
#include <functional>
#include <span>

#include "patch/normal_form.h"

namespace talaria {
namespace {

uint64_t hash(std::string_view line, Tolerance tolerance) {
  const std::hash<std::string_view> number;
  switch (tolerance) {
    case Tolerance::none: return number(line);
    case Tolerance::line_end_blanks: return number(trim_right(line));
    case Tolerance::blanks: return number(trim_blanks(line));
    case Tolerance::typography:
    case Tolerance::wide_dashes: break;
  }
  const auto typography = tolerance == Tolerance::typography ? Typography::folded : Typography::wide_dash;
  return number(fold(line, Blanks::unindented, typography).text);
}

template <class Value>
void splice(std::vector<Value>& values, size_t first, size_t count, const std::vector<Value>& inserted) {
  const auto at = values.erase(values.begin() + static_cast<ptrdiff_t>(first),
                               values.begin() + static_cast<ptrdiff_t>(first + count));
  values.insert(at, inserted.begin(), inserted.end());
}

}  // namespace

std::string_view strategy_name(Tolerance tolerance) {
  switch (tolerance) {
    case Tolerance::none: return "exact";
    case Tolerance::line_end_blanks: return "trailing_whitespace";
    case Tolerance::blanks: return "line_trimmed";
    case Tolerance::typography:
    case Tolerance::wide_dashes: break;
  }
  return "unicode_normalized";
}

WorkingLines::WorkingLines(const Document& document)
    : document_(document),
      final_line_end_(document.text().empty() || document.text().ends_with('\n')),
      ascii_(is_ascii(document.text())),
      usual_end_(document.line_end(document.text().find('\n'))),
      bodies_(lines_of(document.text())) {
  ends_.reserve(bodies_.size());
  for (std::string_view body : bodies_) {
    const auto newline = static_cast<size_t>(body.data() - document.text().data()) + body.size();
    ends_.push_back(newline < document.text().size() ? document.line_end(newline) : std::string_view());
  }
}

const LineHashes& WorkingLines::hashes(Tolerance tolerance) {
  std::optional<LineHashes>& known = hashes_[static_cast<size_t>(tolerance)];
  if (known) return *known;
  known.emplace();
  for (std::string_view body : bodies_) known->push_back(hash(body, tolerance));
  return *known;
}

std::vector<size_t> WorkingLines::find(const std::vector<std::string_view>& wanted, Tolerance tolerance, size_t from,
                                       size_t most) {
  if (from >= size()) return {};
  // Among ASCII alone there is no dash to read in another way.
  if (tolerance == Tolerance::wide_dashes && ascii_ && std::all_of(wanted.begin(), wanted.end(), is_ascii)) return {};
  LineHashes wanted_hashes;
  for (std::string_view line : wanted) wanted_hashes.push_back(hash(line, tolerance));
  work_done_ += size() - from;
  const std::span<const uint64_t> all(hashes(tolerance));
  std::vector<size_t> places = find_sequence(all.subspan(from), wanted_hashes, Overlap::allowed, most);
  for (size_t& place : places) place += from;
  return places;
}

bool WorkingLines::stands_at(const std::vector<std::string_view>& wanted, Tolerance tolerance, size_t at) {
  if (at > size() || size() - at < wanted.size()) return false;
  const LineHashes& all = hashes(tolerance);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (all[at + i] != hash(wanted[i], tolerance)) return false;
  }
  return true;
}

// That of the line it takes the place of, or else of one before it.
std::string_view WorkingLines::end_for_new_line(size_t at, size_t first, size_t count) const {
  if (at < first + count && !ends_[at].empty()) return ends_[at];
  for (size_t back = 1; back <= 2 && back <= at; ++back) {
    if (!ends_[at - back].empty()) return ends_[at - back];
  }
  return at < size() && !ends_[at].empty() ? ends_[at] : usual_end_;
}

void WorkingLines::replace(size_t first, size_t count, const std::vector<Line>& lines) {
  work_done_ += size();
  std::vector<std::string_view> bodies, ends;
  size_t at = first;
  for (const Line& line : lines) {
    if (line.same_as) {
      bodies.push_back(bodies_[*line.same_as]);
      ends.push_back(ends_[*line.same_as]);
      at = *line.same_as + 1;
      continue;
    }
    added_.push_back(line.text);
    ascii_ = ascii_ && is_ascii(line.text);
    bodies.emplace_back(added_.back());
    ends.push_back(end_for_new_line(at, first, count));
    at = std::min(at + 1, first + count);
  }
  for (std::optional<LineHashes>& known : hashes_) {
    if (!known) continue;
    LineHashes changed;
    for (std::string_view body : bodies) {
      changed.push_back(hash(body, static_cast<Tolerance>(&known - hashes_.data())));
    }
    splice(*known, first, count, changed);
  }
  splice(bodies_, first, count, bodies);
  splice(ends_, first, count, ends);
  for (size_t i = first > 0 ? first - 1 : 0; i + 1 < size() && i < first + bodies.size(); ++i) {
    if (ends_[i].empty()) ends_[i] = end_for_new_line(i, i, 0);
  }
}

std::string WorkingLines::text() const {
  const size_t mark = document_.original_offset(0);
  std::string text(document_.original().substr(0, mark));
  for (size_t i = 0; i < size(); ++i) {
    text += bodies_[i];
    if (i + 1 < size() || final_line_end_) text += ends_[i].empty() ? usual_end_ : ends_[i];
  }
  return text;
}

}  // namespace talaria
