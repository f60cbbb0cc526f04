#include "patch/indentation.h"

#include <algorithm>
#include <array>

#include "patch/normal_form.h"

namespace talaria {
namespace {

constexpr size_t tab_width = 4;
constexpr size_t most_lines_looked_at = 2'000;
// What is beyond these is no indentation that people make, and translating it could take any amount of memory.
constexpr size_t most_growth = 8;
constexpr size_t most_bytes_added = 16'000'000;

size_t width(std::string_view indent) {
  size_t columns = 0;
  for (char c : indent) columns += c == '\t' ? tab_width : 1;
  return columns;
}

bool has_tab(std::string_view indent) { return indent.find('\t') != std::string_view::npos; }

// The smallest difference between the indentations of these lines; 0 when all are the same.
size_t smallest_step(const Indentation::Lines& one, const Indentation::Lines& two) {
  std::vector<size_t> widths;
  for (const Indentation::Lines* lines : {&one, &two}) {
    for (std::string_view line : *lines) {
      if (!is_blank(line)) widths.push_back(width(indent_of(line)));
    }
  }
  std::sort(widths.begin(), widths.end());
  size_t smallest = 0;
  for (size_t i = 1; i < widths.size(); ++i) {
    const size_t step = widths[i] - widths[i - 1];
    if (step > 0 && (smallest == 0 || step < smallest)) smallest = step;
  }
  return smallest;
}

}  // namespace

std::string usual_indent_step(std::string_view text) {
  size_t tabs = 0, previous = 0;
  std::array<size_t, 9> steps{};
  for (size_t i = 0; i < most_lines_looked_at && !text.empty(); ++i) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_blank(line)) continue;
    const std::string_view indent = indent_of(line);
    if (has_tab(indent)) {
      ++tabs;
      continue;
    }
    if (indent.size() > previous && indent.size() - previous < steps.size()) ++steps[indent.size() - previous];
    previous = indent.size();
  }
  const auto best = std::max_element(steps.begin() + 2, steps.end());
  if (tabs > *best) return "\t";
  return std::string(*best == 0 ? 4 : static_cast<size_t>(best - steps.begin()), ' ');
}

Indentation::Indentation(const Lines& caller, const Lines& file, const Lines& added, std::string_view usual) {
  file_indents_.resize(caller.size());
  size_t longest = 0;
  for (size_t i = 0; i < caller.size() && i < file.size(); ++i) {
    if (is_blank(caller[i]) || is_blank(file[i])) continue;
    const std::string_view indent = indent_of(caller[i]);
    file_indents_[i] = indent_of(file[i]);
    differs_ = differs_ || indent != file_indents_[i];
    lines_with_[indent].push_back(i);
    by_width_.try_emplace(width(indent), indent);
    longest = std::max(longest, file_indents_[i].size());
  }
  if (longest * added.size() > most_bytes_added) differs_ = false;
  if (!differs_) return;
  step_ = step_from_pairs();
  if (step_.columns == 0) step_ = step_from_styles(caller, added, usual);
  if (step_.piece.size() > most_growth * step_.columns) step_ = {};
}

// The smallest step that both sides make.
Indentation::Step Indentation::step_from_pairs() const {
  Step best{0, ""};
  for (auto outer = by_width_.begin(); outer != by_width_.end() && std::next(outer) != by_width_.end(); ++outer) {
    const auto inner = std::next(outer);
    const std::string_view from = file_indent(outer->second, 0);
    const std::string_view to = file_indent(inner->second, lines_with_.at(outer->second).front());
    if (to.size() <= from.size() || !to.starts_with(from)) continue;
    const size_t columns = inner->first - outer->first;
    if (best.columns == 0 || columns < best.columns) best = {columns, std::string(to.substr(from.size()))};
  }
  const auto tabs = static_cast<size_t>(std::count(best.piece.begin(), best.piece.end(), '\t'));
  if (tabs > 1 && tabs == best.piece.size() && best.columns % tabs == 0) return {best.columns / tabs, "\t"};
  return best;
}

// Without two levels to compare, what the caller's lines and the file's lines usually do.
Indentation::Step Indentation::step_from_styles(const Lines& caller, const Lines& added,
                                                std::string_view usual_step) const {
  const bool tabs_here = std::any_of(file_indents_.begin(), file_indents_.end(), has_tab);
  const bool spaces_here = std::any_of(file_indents_.begin(), file_indents_.end(),
                                       [](std::string_view indent) { return !indent.empty() && !has_tab(indent); });
  std::string usual(usual_step);
  if (tabs_here) usual = "\t";
  if (!tabs_here && spaces_here && usual == "\t") usual = std::string(tab_width, ' ');
  const auto tabbed = [](std::string_view line) { return has_tab(indent_of(line)); };
  const bool caller_has_tabs =
      std::any_of(caller.begin(), caller.end(), tabbed) || std::any_of(added.begin(), added.end(), tabbed);
  if (caller_has_tabs) return {tab_width, usual};
  const size_t smallest = smallest_step(caller, added);
  if (usual == "\t") return {smallest >= 2 && smallest <= 8 ? smallest : tab_width, usual};
  // A step on the file's own grid may well be meant as it is: a continued line has two of them.
  if (smallest < 2 || smallest >= usual.size()) return {};
  return {smallest, usual};
}

std::string_view Indentation::file_indent(std::string_view caller_indent, size_t near) const {
  const std::vector<size_t>& lines = lines_with_.at(caller_indent);
  const auto after = std::lower_bound(lines.begin(), lines.end(), near);
  if (after == lines.begin()) return file_indents_[*after];
  const size_t before = *std::prev(after);
  if (after == lines.end() || near - before <= *after - near) {
    return file_indents_[after != lines.end() && *after == near ? *after : before];
  }
  return file_indents_[*after];
}

std::string Indentation::deeper(std::string_view base, size_t columns) const {
  if (!has_tab(step_.piece)) {
    return std::string(base) + std::string(columns * step_.piece.size() / step_.columns, ' ');
  }
  std::string indent(base);
  for (size_t i = 0; i < columns / step_.columns; ++i) indent += step_.piece;
  return indent + std::string(columns % step_.columns, ' ');
}

std::string Indentation::shallower(std::string_view base, size_t columns) const {
  const size_t fewer = has_tab(base) ? columns / step_.columns * std::max<size_t>(step_.piece.size(), 1)
                                     : columns * step_.piece.size() / step_.columns;
  return std::string(base.substr(0, base.size() - std::min(base.size(), fewer)));
}

std::string Indentation::translate(std::string_view line, size_t near) const {
  if (!differs_ || is_blank(line)) return std::string(line);
  const std::string_view indent = indent_of(line);
  const std::string_view body = line.substr(indent.size());
  if (lines_with_.contains(indent)) return std::string(file_indent(indent, near)).append(body);
  const size_t columns = width(indent);
  const auto above = by_width_.upper_bound(columns);
  if (above == by_width_.begin()) {
    return shallower(file_indent(above->second, near), above->first - columns).append(body);
  }
  const auto base = std::prev(above);
  return deeper(file_indent(base->second, near), columns - base->first).append(body);
}

}  // namespace talaria
