#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// What a person would see in a terminal: fed with a program's output, it knows what stands where. Sequences may be cut
// anywhere. Memory depends on its size alone, and time on the number of bytes, whatever they ask for.
class Screen {
 public:
  // A screen is never larger: no window has so many cells, and a hostile program gets no more of our memory.
  static constexpr int most_rows = 1000, most_cols = 1000;
  static constexpr size_t most_cells = 100'000;
  static bool fits(int rows, int cols);

  Screen(int rows, int cols);  // that fit
  ~Screen();
  Screen(Screen&&) noexcept;
  Screen& operator=(Screen&&) noexcept;

  void feed(std::string_view bytes);
  // As terminals do it: what is cut off is gone, and the line with the cursor stays.
  void resize(int rows, int cols);  // that fit
  // Bytes are missing here. What stands anywhere is not known until it is drawn anew.
  void lose_bytes();

  int row_count() const;
  int column_count() const;
  // The text of each row, without the blanks at its end.
  std::vector<std::string> rows() const;
  // Whether something stands in the last column, so that the text may go on in the next row.
  bool reaches_edge(int row) const;
  struct Cursor {
    int row = 0;  // both from 0
    int col = 0;
    bool visible = true;
    bool operator==(const Cursor&) const = default;
  };
  Cursor cursor() const;
  // Without control characters; at most 256 bytes.
  const std::string& title() const;
  bool is_alternate() const;  // the second screen, which full-screen programs use
  // Everything that stands there is known.
  bool is_whole() const;

  // What draws the same on another terminal, of which there are so many rows and columns, and sets what it sends.
  std::string painting(int rows, int cols) const;

 private:
  class Drawing;
  const Drawing& now() const;

  std::unique_ptr<Drawing> drawing_;
};

}  // namespace talaria
