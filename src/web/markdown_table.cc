#include "web/markdown_table.h"

#include <algorithm>

#include "web/html_walk.h"

namespace talaria {
namespace {

constexpr int most_columns = 64;

struct TableSurvey {
  const HtmlNode* table;
  bool layout = false;
  bool has_heading = false;
  bool has_blocks = false;
  size_t cells_in_row = 0;
  size_t widest = 0;

  Walk enter(const HtmlNode& node) {
    if (&node == table) return Walk::into;
    switch (tag_of(node)) {
      case GUMBO_TAG_LAST: return Walk::past;
      case GUMBO_TAG_TABLE:
      case GUMBO_TAG_PRE:
      case GUMBO_TAG_BLOCKQUOTE: layout = true; return Walk::stop;
      case GUMBO_TAG_TR: cells_in_row = 0; break;
      case GUMBO_TAG_TH: has_heading = true; [[fallthrough]];
      case GUMBO_TAG_TD: widest = std::max(widest, ++cells_in_row); break;
      case GUMBO_TAG_H1:
      case GUMBO_TAG_H2:
      case GUMBO_TAG_H3:
      case GUMBO_TAG_UL:
      case GUMBO_TAG_OL:
      case GUMBO_TAG_FORM:
      case GUMBO_TAG_ARTICLE:
      case GUMBO_TAG_SECTION: has_blocks = true; break;
      default: break;
    }
    return Walk::into;
  }
  void leave(const HtmlNode&) {}
};

}  // namespace

bool is_data_table(const HtmlNode& table) {
  const std::string_view role = attribute(table, "role");
  if (role == "presentation" || role == "none") return false;
  TableSurvey survey;
  survey.table = &table;
  walk(table, survey);
  if (survey.layout || survey.widest < 2) return false;
  return survey.has_heading || !survey.has_blocks;
}

void MarkdownTable::begin_row() { rows_.emplace_back(); }

void MarkdownTable::fill_stretched() {
  auto& row = rows_.back();
  while (row.size() < stretched_.size() && stretched_[row.size()] > 0) {
    --stretched_[row.size()];
    row.emplace_back();
  }
}

void MarkdownTable::add_cell(const std::pmr::string& text, int columns, int rows, bool heading) {
  if (rows_.empty()) begin_row();
  if (rows_.size() == 1 && !heading) first_row_is_heading_ = false;
  fill_stretched();
  auto& row = rows_.back();
  size_ += text.size();
  for (int i = 0; i < std::clamp(columns, 1, most_columns) && row.size() < most_columns; ++i) {
    const size_t column = row.size();
    row.emplace_back(i == 0 ? std::string_view(text) : std::string_view());
    if (stretched_.size() <= column) stretched_.resize(column + 1);
    stretched_[column] = std::max(rows, 1) - 1;
  }
  columns_ = std::max(columns_, row.size());
}

std::pmr::string MarkdownTable::text() const {
  std::pmr::string out(rows_.get_allocator());
  const auto add_row = [&](const Row& row) {
    out += '|';
    for (size_t column = 0; column < columns_; ++column) {
      out.append(" ").append(column < row.size() ? std::string_view(row[column]) : "").append(" |");
    }
    out += '\n';
  };
  const auto is_empty = [](const Row& row) {
    return std::all_of(row.begin(), row.end(), [](const std::pmr::string& cell) { return cell.empty(); });
  };
  bool first = true;
  for (const auto& row : rows_) {
    if (is_empty(row)) continue;
    if (first && !first_row_is_heading_) add_row({});
    if (!first || first_row_is_heading_) add_row(row);
    if (first) {
      out += '|';
      for (size_t column = 0; column < columns_; ++column) out += " --- |";
      out += '\n';
      if (!first_row_is_heading_) add_row(row);
    }
    first = false;
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace talaria
