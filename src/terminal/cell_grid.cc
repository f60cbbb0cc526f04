#include "terminal/cell_grid.h"

#include <algorithm>

namespace talaria {
namespace {

std::string colour_codes(const CellColour& colour, int base) {
  switch (colour.kind) {
    case CellColour::Kind::usual: return "";
    case CellColour::Kind::indexed: return ";" + std::to_string(base + 8) + ";5;" + std::to_string(colour.red);
    case CellColour::Kind::rgb:
      return ";" + std::to_string(base + 8) + ";2;" + std::to_string(colour.red) + ";" + std::to_string(colour.green) +
             ";" + std::to_string(colour.blue);
  }
  return "";
}

std::string pen_sequence(const CellPen& pen) {
  std::string codes = "\x1b[0";
  if (pen.bold) codes += ";1";
  if (pen.italic) codes += ";3";
  if (pen.underline == 2) codes += ";21";
  else if (pen.underline != 0) codes += ";4";
  if (pen.blink) codes += ";5";
  if (pen.reverse) codes += ";7";
  if (pen.strike) codes += ";9";
  return codes + colour_codes(pen.foreground, 30) + colour_codes(pen.background, 40) + "m";
}

}  // namespace

CellGrid::CellGrid(int rows, int cols) : cols_(cols), rows_(static_cast<size_t>(rows), blank_row({})) {}

CellGrid::Row CellGrid::blank_row(const CellPen& pen) const {
  Row row;
  row.cells.resize(static_cast<size_t>(cols_));
  blank(row, pen);
  return row;
}

void CellGrid::blank(Row& row, const CellPen& pen) const {
  if (row.blank && row.blank_pen == pen) return;
  for (Cell& cell : row.cells) {
    cell.text.clear();
    cell.pen = pen;
    cell.part = Part::single;
    cell.known = true;
  }
  row.blank = true;
  row.blank_pen = pen;
}

// A wide character of which one half is about to be overwritten goes as a whole.
void CellGrid::separate(Row& row, int col) {
  if (col <= 0 || col >= cols_) return;
  Cell& right = row.cells[static_cast<size_t>(col)];
  if (right.part != Part::right_half) return;
  Cell& left = row.cells[static_cast<size_t>(col) - 1];
  left.part = right.part = Part::single;
  left.text.clear();
  right.text.clear();
}

void CellGrid::put(int row, int col, std::string_view text, int width, const CellPen& pen) {
  if (row < 0 || row >= rows() || col < 0 || col >= cols_) return;
  Row& line = rows_[static_cast<size_t>(row)];
  const bool wide = width > 1 && col + 1 < cols_;
  separate(line, col);
  separate(line, col + (wide ? 2 : 1));
  line.blank = false;
  Cell& cell = line.cells[static_cast<size_t>(col)];
  cell.text = text;
  cell.pen = pen;
  cell.part = wide ? Part::left_half : Part::single;
  cell.known = true;
  if (!wide) return;
  Cell& other = line.cells[static_cast<size_t>(col) + 1];
  other.text.clear();
  other.pen = pen;
  other.part = Part::right_half;
  other.known = true;
}

void CellGrid::erase(const CellRect& rect, const CellPen& pen) {
  const int left = std::clamp(rect.left, 0, cols_);
  const int right = std::clamp(rect.right, 0, cols_);
  for (int i = std::max(rect.top, 0); i < std::min(rect.bottom, rows()); ++i) {
    Row& row = rows_[static_cast<size_t>(i)];
    if (left == 0 && right == cols_) {
      blank(row, pen);
      continue;
    }
    if (left >= right) continue;
    separate(row, left);
    separate(row, right);
    row.blank = row.blank && row.blank_pen == pen;
    for (int col = left; col < right; ++col) {
      Cell& cell = row.cells[static_cast<size_t>(col)];
      cell.text.clear();
      cell.pen = pen;
      cell.part = Part::single;
      cell.known = true;
    }
  }
}

void CellGrid::scroll(int top, int bottom, int lines, const CellPen& pen) {
  top = std::clamp(top, 0, rows());
  bottom = std::clamp(bottom, top, rows());
  const int distance = std::min(std::abs(lines), bottom - top);
  const auto first = rows_.begin() + top, last = rows_.begin() + bottom;
  if (lines > 0) {
    std::rotate(first, first + distance, last);
    std::for_each(last - distance, last, [&](Row& row) { blank(row, pen); });
  } else {
    std::rotate(first, last - distance, last);
    std::for_each(first, first + distance, [&](Row& row) { blank(row, pen); });
  }
}

void CellGrid::move(const CellRect& to, const CellRect& from) {
  const int height = std::min(from.bottom - from.top, rows() - std::max(from.top, to.top));
  const int width = std::min(from.right - from.left, cols_ - std::max(from.left, to.left));
  if (from.top < 0 || from.left < 0 || to.top < 0 || to.left < 0 || height <= 0 || width <= 0) return;
  for (int step = 0; step < height; ++step) {
    const int i = to.top <= from.top ? step : height - 1 - step;
    const Row& source = rows_[static_cast<size_t>(from.top) + static_cast<size_t>(i)];
    std::vector<Cell> cells(source.cells.begin() + from.left, source.cells.begin() + from.left + width);
    // Halves of wide characters at the ends have lost the other.
    for (Cell* end : {&cells.front(), &cells.back()}) {
      const bool torn = end == &cells.front() ? end->part == Part::right_half : end->part == Part::left_half;
      if (torn) end->text.clear(), end->part = Part::single;
    }
    if (width == 1 && cells.front().part != Part::single) cells.front().part = Part::single;
    Row& target = rows_[static_cast<size_t>(to.top) + static_cast<size_t>(i)];
    separate(target, to.left);
    separate(target, to.left + width);
    target.blank = false;
    std::move(cells.begin(), cells.end(), target.cells.begin() + to.left);
  }
}

void CellGrid::resize(int rows, int cols, int cut) {
  cut = std::clamp(cut, 0, this->rows());
  rows_.erase(rows_.begin(), rows_.begin() + cut);
  for (Row& row : rows_) {
    if (cols < cols_) separate(row, cols);
    row.blank = row.blank && (cols <= cols_ || row.blank_pen == CellPen());
    row.cells.resize(static_cast<size_t>(cols));
  }
  cols_ = cols;
  rows_.resize(static_cast<size_t>(rows), blank_row({}));
}

void CellGrid::forget() {
  for (Row& row : rows_) {
    blank(row, {});
    row.blank = false;
    for (Cell& cell : row.cells) cell.known = false;
  }
}

bool CellGrid::is_known() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const Row& row) {
    return row.blank || std::all_of(row.cells.begin(), row.cells.end(), [](const Cell& cell) { return cell.known; });
  });
}

// A blank that was printed is a blank.
int CellGrid::used_columns(const Row& row) const {
  int used = row.blank ? 0 : cols_;
  while (used > 0) {
    const Cell& cell = row.cells[static_cast<size_t>(used) - 1];
    if (cell.part == Part::right_half || (!cell.text.empty() && cell.text != " ")) break;
    --used;
  }
  return used;
}

std::string CellGrid::text_of(int row) const {
  const Row& line = rows_.at(static_cast<size_t>(row));
  std::string text;
  for (int col = 0; col < used_columns(line); ++col) {
    const Cell& cell = line.cells[static_cast<size_t>(col)];
    if (cell.part == Part::right_half) continue;
    if (cell.text.empty()) text += ' ';
    else text += cell.text;
  }
  return text;
}

bool CellGrid::reaches_edge(int row) const { return used_columns(rows_.at(static_cast<size_t>(row))) == cols_; }

std::string CellGrid::painting_of(int row, int cols) const {
  const Row& line = rows_.at(static_cast<size_t>(row));
  const int shown = std::min(cols, cols_);
  int used = shown;
  const auto is_plain = [&](int col) {
    const Cell& cell = line.cells[static_cast<size_t>(col)];
    return (cell.text.empty() || cell.text == " ") && cell.part == Part::single && cell.pen == CellPen();
  };
  while (used > 0 && is_plain(used - 1)) --used;
  std::string painting;
  CellPen pen;
  for (int col = 0; col < used; ++col) {
    const Cell& cell = line.cells[static_cast<size_t>(col)];
    if (cell.part == Part::right_half) continue;
    if (cell.pen != pen) painting += pen_sequence(pen = cell.pen);
    const bool cut = cell.part == Part::left_half && col + 1 >= shown;
    if (cell.text.empty() || cut) painting += ' ';
    else painting += cell.text;
  }
  if (pen != CellPen()) painting += pen_sequence({});
  return painting;
}

}  // namespace talaria
