#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "talaria/print.h"

namespace talaria {

// Rows for a person: aligned under a heading and fitted to the width on a terminal; in a pipe, whole cells with tabs
// between them and no heading, so that a script need not skip one.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) : heading_(std::move(heading)) {}
  void add(std::vector<std::string> cells);
  void colour_column(size_t column, Colour (*choose)(const std::string& cell)) {
    coloured_column_ = column;
    choose_ = choose;
  }
  // On a terminal the last column goes on below itself instead of being cut; where there is little room for it, long
  // cells of the others are cut.
  void wrap_last_column() { too_long_ = TooLong::last_wraps; }
  // Nothing is cut: every cell goes on below itself, and where the rows are wider than the terminal, the last column
  // stands below them.
  void wrap_everything() { too_long_ = TooLong::all_wrap; }
  void print_out() const;

  std::string aligned(size_t width) const;
  std::string tabbed() const;

 private:
  enum class TooLong { cut, last_wraps, all_wrap };
  using Row = std::vector<std::string>;

  std::vector<size_t> natural_widths() const;
  void narrow(std::vector<size_t>& widths, size_t width) const;
  std::string aligned_with_last_below(std::vector<size_t> widths, size_t width) const;
  std::string row_text(const Row& row, const std::vector<size_t>& widths, bool heading) const;
  std::vector<std::string> cell_lines(const Row& row, size_t column, const std::vector<size_t>& widths) const;

  Row heading_;
  std::vector<Row> rows_;
  TooLong too_long_ = TooLong::cut;
  size_t coloured_column_ = 0;
  Colour (*choose_)(const std::string& cell) = nullptr;
};

}  // namespace talaria
