#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "process/clean_text.h"
#include "process/lost_range.h"

namespace talaria {

// Raw output that is read in parts: `size` bytes, of which those from lost_begin up to lost_end are gone.
struct ByteSource {
  uint64_t size = 0;
  // Up to `length` bytes from `offset`; fewer only where there are no more.
  std::function<Result<std::string>(uint64_t offset, size_t length)> read;
  uint64_t lost_begin = 0;
  uint64_t lost_end = 0;
  // Where it is known more exactly: parts between these ranges are there.
  std::vector<LostRange> lost = {};
  std::string lost_because = {};  // "the disk was full"; empty: the log's limit, which its owner chose
};

// Cleaned text for a reader with little room. `truncated` says that a line in it stands for `left_out_bytes` raw bytes.
struct Excerpt {
  std::string text;
  bool truncated = false;
  uint64_t left_out_bytes = 0;

  bool operator==(const Excerpt&) const = default;
};

// The whole if its cleaned text fits into `max_characters` code points; else its head and its tail around a line
// "[… 1,234,567 bytes left out …]". Reads a small multiple of `max_characters`, whatever the size: output so full of
// terminal sequences that more than eight bytes make one character is cut although it might have fitted.
Result<Excerpt> excerpt(const ByteSource& source, size_t max_characters, Collapse collapse = Collapse::no);

// The line that stands for so many bytes.
std::string gap_line(uint64_t bytes);

// The last `max_characters` of the cleaned text.
Result<std::string> tail_text(const ByteSource& source, size_t max_characters, Collapse collapse = Collapse::no);

}  // namespace talaria
