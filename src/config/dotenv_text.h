#pragma once
// The text of a .env file: NAME=value a line, "export " before it or not, # comments; values bare, in single quotes (as
// they are) or in double quotes (with \n, \t, \", \\ and \$). Quoted values may go over several lines. Lines that are
// none of this mean nothing and stay.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

// One variable and where it stands.
struct DotenvEntry {
  std::string name;
  std::string value;
  size_t start = 0;  // of its line
  size_t value_start = 0;
  size_t value_end = 0;  // with quotes
  size_t end = 0;        // of its last line, with the line ending
  bool operator==(const DotenvEntry&) const = default;
};
std::vector<DotenvEntry> dotenv_entries(std::string_view text);

// The numbers, from 1, of the lines that mean nothing and are neither empty nor comments.
std::vector<size_t> stray_dotenv_lines(std::string_view text);

// Of a variable that is there more than once, the last one counts.
std::map<std::string, std::string> parse_dotenv(std::string_view text);

// [A-Za-z_][A-Za-z0-9_]*
bool is_variable_name(std::string_view name);

// Gives `name` exactly this value: its line, or the last one of several, is changed in place, and a new one comes at
// the end. All else stays byte for byte, comments beside the value too. An empty value is refused, because nobody could
// tell it from an absent one; so is NUL. No error holds the value.
Result<std::string> set_variable(std::string_view text, std::string_view name, std::string_view value);

// Removes every line of `name`, with the comments beside them.
Result<std::string> unset_variable(std::string_view text, std::string_view name);

}  // namespace talaria
