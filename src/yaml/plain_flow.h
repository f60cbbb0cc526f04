#pragma once
// The parts of read_plain_yaml that look at one line only.
#include <cstddef>
#include <optional>
#include <string_view>

#include "json/json.h"

namespace talaria {

// How deep maps and lists may be in one another: those on one line, and those made of lines.
inline constexpr int deepest_plain = 12;

// Whether every character is one that YAML readers agree on: no tab, no control character, no exotic line end.
bool is_plain_line(std::string_view text);

// A value that is whole on its line, as in `key: <value>`, with a comment behind it or not. `text` starts with the
// value and is_plain_line. Nothing in case of doubt.
std::optional<Json> read_plain_line(std::string_view text);

// "key" of "key: value" or "key:", where it is a simple word.
std::optional<std::string_view> plain_key(std::string_view text);

// Whether nothing but blanks and a comment follows.
bool is_line_end(std::string_view rest);

}  // namespace talaria
