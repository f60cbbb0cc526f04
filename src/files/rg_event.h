#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// One line of what rg --json prints.
struct RgEvent {
  enum class Kind { begin, match, context, end, summary, other };
  Kind kind = Kind::other;
  std::string path;     // bytes, as rg names the file
  uint64_t line = 0;    // of the first line, from 1
  uint64_t column = 1;  // of a match, in characters, from 1
  std::string text;     // bytes of the line, or of all lines of a match, with line ends
  bool operator==(const RgEvent&) const = default;
};

// By how the line begins; nothing of it is parsed.
RgEvent::Kind kind_of_rg_line(std::string_view line);

// nullopt: it is none. What is longer than `most_text_bytes` is cut.
std::optional<RgEvent> parse_rg_line(std::string_view line, size_t most_text_bytes);

}  // namespace talaria
