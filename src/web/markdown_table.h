#pragma once
#include <memory_resource>
#include <string>
#include <vector>

#include "web/html_tree.h"

namespace talaria {

// Whether rows and columns mean something. Old pages use tables for their layout: those are read as plain blocks.
bool is_data_table(const HtmlNode& table);

// The rows of a table while it is read; cells are Markdown of one line.
class MarkdownTable {
 public:
  explicit MarkdownTable(std::pmr::memory_resource* memory) : rows_(memory) {}

  void begin_row();
  // `columns` and `rows` the cell stretches over.
  void add_cell(const std::pmr::string& text, int columns, int rows, bool heading);

  bool empty() const { return rows_.empty(); }
  size_t size() const { return size_; }
  // As GitHub reads it. A first row that is no heading stands below an empty one.
  std::pmr::string text() const;

 private:
  void fill_stretched();

  using Row = std::pmr::vector<std::pmr::string>;
  std::pmr::vector<Row> rows_;
  std::vector<int> stretched_;  // for each column, how many more rows a cell from above fills
  bool first_row_is_heading_ = true;
  size_t columns_ = 0;
  size_t size_ = 0;
};

}  // namespace talaria
