#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/placed_bytes.h"

namespace talaria {

// Lines end with "\n"; what follows the last one is a line too, if there is anything.

// Where the asked lines of a text are, and how many it has.
struct LineSpan {
  uint64_t begin = 0;        // bytes
  uint64_t end = 0;          // behind the last asked line
  uint64_t lines = 0;        // of the asked ones, those that are there
  uint64_t total_lines = 0;  // of the whole text
  bool operator==(const LineSpan&) const = default;
};

// Looks at every byte once, in constant memory. `first` counts from 1. `cancelled` may be null.
Result<LineSpan> find_lines(PlacedBytes& source, uint64_t first, uint64_t count, const std::atomic<bool>* cancelled);

// A line without its "\n", or its beginning.
struct RawLine {
  std::string bytes;
  bool cut = false;
  bool operator==(const RawLine&) const = default;
};

// The lines of a span: of each at most `most_line_bytes`, and no further line once there are `most_bytes`.
Result<std::vector<RawLine>> read_lines(PlacedBytes& source, const LineSpan& span, size_t most_line_bytes,
                                        size_t most_bytes, const std::atomic<bool>* cancelled);

}  // namespace talaria
