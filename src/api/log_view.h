#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/patterns.h"
#include "base/result.h"
#include "process/excerpt.h"

namespace talaria {

// Which lines of a log to show.
struct LogWindow {
  std::optional<uint64_t> offset;  // lines to skip; absent: the last ones
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
  uint64_t first_line = 0;  // number of the first one shown, from 1, among the matching ones; 0: none is
  bool truncated = false;   // lines that were asked for did not fit
  bool operator==(const LogView&) const = default;
};

inline constexpr uint64_t default_log_lines = 200;

// Reads the whole log once, in constant memory. For a worker when it is long. A log that grows may drop what is not
// read yet; then `look_again` says where it is now, and its end is read from there.
using LookAgain = std::function<Result<ByteSource>()>;
Result<LogView> view_log(ByteSource source, const LogWindow& window, const LookAgain& look_again = {});

}  // namespace talaria
