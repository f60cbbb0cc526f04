#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// A colour as terminals know it: the default, one of 256, or 24 bits.
struct CellColour {
  enum class Kind : uint8_t { usual, indexed, rgb };
  Kind kind = Kind::usual;
  uint8_t red = 0;  // the index of an indexed one
  uint8_t green = 0;
  uint8_t blue = 0;
  bool operator==(const CellColour&) const = default;
};

struct CellPen {
  CellColour foreground;
  CellColour background;
  uint8_t underline = 0;  // 1 single, 2 double, 3 curly
  bool bold = false, italic = false, blink = false, reverse = false, strike = false;
  bool operator==(const CellPen&) const = default;
};

struct CellRect {
  int top = 0, bottom = 0, left = 0, right = 0;  // bottom and right are outside
};

// The cells of one screen. What lies outside of it is ignored.
class CellGrid {
 public:
  CellGrid(int rows, int cols);

  int rows() const { return static_cast<int>(rows_.size()); }
  int cols() const { return cols_; }

  // One character, with what combines with it, as wide as one or two cells.
  void put(int row, int col, std::string_view text, int width, const CellPen& pen);
  void erase(const CellRect& rect, const CellPen& pen);
  // Whole rows move up by `lines`, or down when it is negative, within [top, bottom).
  void scroll(int top, int bottom, int lines, const CellPen& pen);
  // The cells of `from` are copied to where `to` begins.
  void move(const CellRect& to, const CellRect& from);
  // The first `cut` rows go first.
  void resize(int rows, int cols, int cut);
  // What stands where is no longer known.
  void forget();

  bool is_known() const;
  std::string text_of(int row) const;
  bool reaches_edge(int row) const;
  // The row in sequences, up to `cols` cells of it; the pen is as usual before and after.
  std::string painting_of(int row, int cols) const;

 private:
  enum class Part : uint8_t { single, left_half, right_half };
  struct Cell {
    std::string text;  // empty: blank
    CellPen pen;
    Part part = Part::single;
    bool known = true;
  };
  struct Row {
    std::vector<Cell> cells;
    // All cells are blank, known and have this pen: so that to erase it once more costs nothing.
    bool blank = false;
    CellPen blank_pen;
  };

  Row blank_row(const CellPen& pen) const;
  void blank(Row& row, const CellPen& pen) const;
  void separate(Row& row, int col);
  int used_columns(const Row& row) const;

  int cols_;
  std::vector<Row> rows_;
};

}  // namespace talaria
