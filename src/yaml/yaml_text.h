#pragma once
// What can be told from the bytes of a YAML text alone.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// How deep maps and lists may be in one another; libfyaml stops at 64.
inline constexpr size_t deepest_yaml = 60;

inline bool is_yaml_blank(char c) { return c == ' ' || c == '\t'; }

// Bytes [start, end) of a text.
struct Span {
  size_t start = 0;
  size_t end = 0;
};

struct TextProblem {
  size_t offset = 0;
  std::string what;
};

// What no YAML parser should be shown: too long, not UTF-8, control characters, a carriage return of its own.
std::optional<TextProblem> find_text_problem(std::string_view text);
// The first tab that stands where indentation should be.
std::optional<size_t> find_tab_indentation(std::string_view text);

// The next byte that is neither blank, nor a line end, nor in a comment.
size_t skip_blank_and_comments(std::string_view text, size_t offset);
// Just after the ':' that follows a key's end on the same line, or npos.
size_t find_colon(std::string_view text, size_t key_end);

size_t line_start(std::string_view text, size_t offset);  // after a byte order mark
size_t next_line(std::string_view text, size_t offset);   // or the end of the text
// Where the lines of something that ends at `end` are over. A block scalar ends at a line's start already.
size_t end_of_lines(std::string_view text, size_t end);
// The line ending the text uses.
std::string_view line_ending(std::string_view text);

// "", "~", "null" as written without quotes.
bool is_yaml_null(std::string_view plain);
// `text` as a scalar that YAML reads back as exactly it: bare where that is safe, else in double quotes.
std::string yaml_scalar(std::string_view text);

}  // namespace talaria
