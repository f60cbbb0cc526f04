#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace talaria {

// Lines count from 1; `last` is included. An insertion of nothing has last = first - 1.
struct LineRange {
  size_t first = 0;
  size_t last = 0;
  bool operator==(const LineRange&) const = default;
};

struct ReplaceRequest {
  std::string old_string;
  std::string new_string;
  bool replace_all = false;
};

// The text with the change made.
struct Replaced {
  std::string text;
  std::string strategy;           // the name of the first that matched: "exact", "line_trimmed", …
  size_t replacements = 0;        // 0: nothing to do
  std::vector<LineRange> before;  // the lines of the old text that changed, one for each replacement, in order
  std::vector<LineRange> after;   // the lines of the new text they became
  bool no_change = false;         // the text is already as wished
  std::string note;               // with no_change: why
};

// Why nothing was changed, for the model that asked.
struct ReplaceFailure {
  enum class Kind { wrong_arguments, not_found, ambiguous };
  Kind kind = Kind::not_found;
  std::string message;                // the whole text to read
  std::vector<LineRange> candidates;  // the places that matched, or come nearest
};

// Replaces one passage of a text, found by the strategies in their fixed order. Byte order mark, line ends
// and the final line end stay as they are.
std::variant<Replaced, ReplaceFailure> replace_text(std::string_view text, const ReplaceRequest& request);

}  // namespace talaria
