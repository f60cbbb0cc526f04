#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "process/excerpt.h"

namespace talaria {

// What a script printed, cleaned for a reader: all of it, or its head and its tail around a line that stands for the
// rest.
struct ScriptOutput {
  std::string text = {};
  bool truncated = false;
  uint64_t total_bytes = 0;     // as printed
  uint64_t left_out_bytes = 0;  // of them
  // When truncated: text before gap_begin is the head, text from gap_end on is the tail. A secret may be cut in two
  // there, so whoever masks looks at both.
  size_t gap_begin = 0;
  size_t gap_end = 0;

  bool operator==(const ScriptOutput&) const = default;
};

// All of it up to `max_bytes`; else 40 % of them from its head and 60 % from its tail, around a line such as
// "[output truncated at 50KB] 150,032 bytes left out". Bytes are counted as printed.
Result<ScriptOutput> script_output(const ByteSource& source, size_t max_bytes);

// Of so many bytes, how many the head gets.
constexpr size_t head_share(size_t max_bytes) { return max_bytes / 5 * 2 + max_bytes % 5 * 2 / 5; }

// The line for so many bytes that are left out.
using GapLine = std::function<std::string(uint64_t left_out)>;
// Puts the two raw parts of `total_bytes` together. The inner edges give up what is left of a split character.
ScriptOutput join_around_gap(std::string_view head, std::string_view tail, uint64_t total_bytes, const GapLine& line);

}  // namespace talaria
