#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/line_scan.h"
#include "files/text_encoding.h"

namespace talaria {

// What of the asked lines fits into a result.
struct LinePage {
  std::string content;  // valid UTF-8
  uint64_t lines = 0;
  bool too_large = false;   // there would be more lines, but for their size
  bool line_cut = false;    // for a program: even the first line is larger than a result may be
  uint64_t line_bytes = 0;  // then: how large it is
  bool broken = false;      // some of it is U+FFFD in place of bytes that are not UTF-8
  bool operator==(const LinePage&) const = default;
};

inline constexpr size_t most_agent_characters = 100'000;
inline constexpr size_t most_agent_line_characters = 2'000;
// What a line that is longer ends with.
inline constexpr std::string_view cut_line_mark = "... [truncated]";
// What is still to be read of them: no character has more bytes.
inline constexpr size_t most_agent_bytes = most_agent_characters * 4;
inline constexpr size_t most_agent_line_bytes = (most_agent_line_characters + 1) * 4;
// As a JSON string. A frame to a program has 16 MiB, the rest of the result goes into the difference.
inline constexpr size_t most_program_bytes = (16 << 20) - (64 << 10);

// "N|text" for each line, long ones cut.
LinePage agent_page(const std::vector<RawLine>& lines, uint64_t first_line, Charset charset);
// The text of these bytes itself, up to a line end.
LinePage program_page(std::string_view bytes, Charset charset, Extent extent);

}  // namespace talaria
