// Cleaned text is valid UTF-8 without control characters, however the input was cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "process/clean_text.h"

namespace {

using namespace talaria;

// The first byte of the input chooses how long the pieces are.
std::string clean_in_pieces(std::string_view bytes, Collapse collapse, uint8_t choice) {
  TextCleaner cleaner(collapse);
  std::string text;
  for (size_t length = choice % 7; !bytes.empty(); length = (length * 5 + choice) % 11) {
    text += cleaner.feed(bytes.substr(0, length + 1));
    bytes.remove_prefix(std::min(bytes.size(), length + 1));
  }
  return text + cleaner.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (Collapse collapse : {Collapse::no, Collapse::yes}) {
    const std::string whole = clean(bytes, collapse);
    CHECK(is_utf8(whole));
    for (char c : whole) CHECK(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
    CHECK(clean_in_pieces(bytes, collapse, data[0]) == whole);
    CHECK(clean(whole, collapse) == whole);
  }
  return 0;
}
