#include "talaria/table.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "base/columns.h"
#include "base/text.h"
#include "base/unseen.h"

namespace talaria {
namespace {

constexpr size_t between_columns = 2;

size_t total_of(const std::vector<size_t>& widths) {
  const size_t gaps = widths.empty() ? 0 : (widths.size() - 1) * between_columns;
  return std::accumulate(widths.begin(), widths.end(), gaps);
}

// The widest of those that may give way to the last one. The first has what a person types next, so it is left
// readable while others can.
size_t& column_to_narrow(std::vector<size_t>& widths, size_t narrowest) {
  constexpr size_t readable = 20;
  if (widths.size() == 2) return widths[0];
  size_t& other = *std::max_element(widths.begin() + 1, widths.end() - 1);
  const bool first = widths[0] > readable ? widths[0] >= other : other <= narrowest;
  return first ? widths[0] : other;
}

}  // namespace

// A tab in a cell would look like two cells, and a line end like two rows.
void Table::add(Row cells) {
  for (std::string& cell : cells) cell = shown_line(cell);
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::natural_widths() const {
  std::vector<size_t> widths;
  for (const std::string& cell : heading_) widths.push_back(columns_of(cell));
  for (const Row& row : rows_) {
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

// The last column gets what the others leave, which is a part of the width or all it needs.
void Table::narrow(std::vector<size_t>& widths, size_t width) const {
  if (total_of(widths) <= width) return;
  size_t& last = widths.back();
  last = std::min(last, too_long_ == TooLong::cut ? width / 4 : width / 3);
  for (const size_t narrowest : {7, 3, 1}) {
    while (widths.size() > 1 && total_of(widths) > width) {
      size_t& narrowed = column_to_narrow(widths, narrowest);
      if (narrowed <= narrowest) break;
      --narrowed;
    }
  }
  last = 0;
  last = std::max<size_t>(width - std::min(total_of(widths), width), 1);
}

std::vector<std::string> Table::cell_lines(const Row& row, size_t column, const std::vector<size_t>& widths) const {
  const bool last = column + 1 == row.size();
  const bool wraps = too_long_ == TooLong::all_wrap || (last && too_long_ == TooLong::last_wraps);
  const size_t width = widths[std::min(column, widths.size() - 1)];
  if (!wraps) return {cut_to_columns(row[column], width)};
  return split(wrap_to_columns(row[column], width, 0), '\n');
}

std::string Table::row_text(const Row& row, const std::vector<size_t>& widths, bool heading) const {
  std::vector<std::vector<std::string>> cells;
  size_t height = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    cells.push_back(cell_lines(row, i, widths));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (size_t line = 0; line < height; ++line) {
    size_t missing = 0;  // blanks that stand before the next cell, if there is one
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string piece = line < cells[i].size() ? cells[i][line] : "";
      if (!piece.empty()) {
        const bool chosen = choose_ && i == coloured_column_;
        text += std::string(std::exchange(missing, 0), ' ');
        text += coloured(heading ? Colour::bold : chosen ? choose_(row[i]) : Colour::none, piece);
      }
      const size_t used = columns_of(piece);
      missing += (i < widths.size() && widths[i] > used ? widths[i] - used : 0) + between_columns;
    }
    text += '\n';
  }
  return text;
}

// Without the last column, which stands below each row.
std::string Table::aligned_with_last_below(std::vector<size_t> widths, size_t width) const {
  constexpr size_t indent = 4;
  widths.pop_back();
  narrow(widths, width);
  const auto without_last = [&](Row row) {
    row.resize(std::min(row.size(), widths.size()));
    return row;
  };
  std::string text = row_text(without_last(heading_), widths, true);
  for (const Row& row : rows_) {
    text += row_text(without_last(row), widths, false);
    if (row.size() <= widths.size() || row.back().empty()) continue;
    text += std::string(indent, ' ') + wrap_to_columns(row.back(), std::max(width, indent + 2) - indent, indent) + '\n';
  }
  return text;
}

std::string Table::aligned(size_t width) const {
  std::vector<size_t> widths = natural_widths();
  if (too_long_ == TooLong::all_wrap && widths.size() > 1 && total_of(widths) > width) {
    return aligned_with_last_below(std::move(widths), width);
  }
  narrow(widths, width);
  std::string text = row_text(heading_, widths, true);
  for (const Row& row : rows_) text += row_text(row, widths, false);
  return text;
}

std::string Table::tabbed() const {
  std::string text;
  for (const Row& row : rows_) text += join(row, "\t") + "\n";
  return text;
}

void Table::print_out() const {
  if (is_terminal(STDOUT_FILENO)) print(aligned(terminal_width()));
  else print(tabbed());
}

}  // namespace talaria
