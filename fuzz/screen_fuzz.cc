// A screen is drawn the same however the bytes were cut, its text is valid UTF-8 without control characters and no
// wider than it is, and what paints it elsewhere draws the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "terminal/screen.h"

namespace {

using namespace talaria;

void check_text(const Screen& screen) {
  const std::vector<std::string> rows = screen.rows();
  CHECK(rows.size() == static_cast<size_t>(screen.row_count()));
  for (const std::string& row : rows) {
    CHECK(is_utf8(row));
    for (char c : row) CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    // A character has up to five marks.
    CHECK(count_characters(row) <= 6 * static_cast<size_t>(screen.column_count()));
  }
  CHECK(is_utf8(screen.title()) && screen.title().size() <= 256);
  const Screen::Cursor cursor = screen.cursor();
  CHECK(cursor.row >= 0 && cursor.row < screen.row_count());
  CHECK(cursor.col >= 0 && cursor.col < screen.column_count());
}

}  // namespace

// The first bytes choose the size, another to change to, where that happens, and where bytes are lost.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 6) return 0;
  const int rows = 1 + data[0] % 30, cols = 1 + data[1] % 60;
  const int other_rows = 1 + data[2] % 30, other_cols = 1 + data[3] % 60;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 6, size - 6);
  const size_t resized_at = bytes.size() * data[4] / 256;
  const bool loses = data[5] == 7;
  Screen whole(rows, cols);
  whole.feed(bytes.substr(0, resized_at));
  if (loses) whole.lose_bytes();
  whole.resize(other_rows, other_cols);
  whole.feed(bytes.substr(resized_at));
  check_text(whole);

  Screen in_pieces(rows, cols);
  size_t length = 1 + data[5] % 7;
  for (size_t offset = 0; offset < bytes.size();) {
    const size_t end = offset < resized_at ? resized_at : bytes.size();
    const size_t piece = std::min(length, end - offset);
    if (offset == resized_at) {
      if (loses) in_pieces.lose_bytes();
      in_pieces.resize(other_rows, other_cols);
    }
    in_pieces.feed(bytes.substr(offset, piece));
    offset += piece;
    length = length * 5 % 11 + 1;
  }
  if (bytes.empty()) return 0;
  CHECK(in_pieces.rows() == whole.rows());
  CHECK(in_pieces.cursor() == whole.cursor());
  CHECK(in_pieces.title() == whole.title());

  Screen elsewhere(other_rows, other_cols);
  elsewhere.feed(whole.painting(other_rows, other_cols));
  check_text(elsewhere);
  return 0;
}
