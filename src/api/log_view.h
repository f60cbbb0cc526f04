#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/patterns.h"
#include "base/result.h"
#include "process/excerpt.h"

namespace talaria {

// Which lines of a log to show.
struct LogWindow {
  std::optional<uint64_t> offset;  // first line, from 0; absent: the last ones
  std::optional<uint64_t> limit;
  std::optional<Pattern> grep;  // only lines that match, with their numbers
  size_t most_characters = 200'000;
};

struct LogView {
  std::string text;
  uint64_t total_lines = 0;
  uint64_t total_bytes = 0;
  uint64_t matching_lines = 0;  // with grep; else all
  uint64_t shown_lines = 0;
  uint64_t first_line = 0;  // of those shown, among the matching ones
  bool truncated = false;   // lines that were asked for did not fit
  bool operator==(const LogView&) const = default;
};

inline constexpr uint64_t default_log_lines = 200;

// Reads the whole log once, in constant memory. For a worker when it is long.
Result<LogView> view_log(const ByteSource& source, const LogWindow& window);

}  // namespace talaria
