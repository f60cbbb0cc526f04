#pragma once
// How YAML is read line by line once it is known to be broken.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

struct LooseLine {
  size_t number = 0;
  size_t indent = 0;         // blanks before the content
  std::string_view text;     // whole, without its line feed
  std::string_view content;  // without blanks around it

  bool says_nothing() const { return content.empty() || content[0] == '#'; }
  bool is_item() const { return content == "-" || content.starts_with("- "); }
};
using LooseLines = std::span<const LooseLine>;

std::vector<LooseLine> loose_lines(std::string_view text, size_t first_line);
std::string join_lines(LooseLines lines);

// A line taken apart at its first colon.
struct LoosePair {
  std::string key;         // without quotes
  std::string_view value;  // without blanks around it; a comment may be in it
  bool exact = true;       // false: something was missing between the two
};
// Only one of the `known` keys may lack the blank after its colon or have a full-width one.
std::optional<LoosePair> split_pair(std::string_view content, std::span<const std::string_view> known);

// `value` without a comment at its end. Only "# " starts one here: what comes with the likes of "issue #12" is kept.
std::string_view without_comment(std::string_view value);
// Lines of a text that is not in a block: joined by blanks, empty lines kept as line feeds.
std::string fold_lines(std::string_view first, LooseLines rest);

// What a scalar that YAML does not take was meant to say: quotes around it gone, escapes resolved.
std::string unquoted(std::string_view value);
// Why YAML does not take it, as the end of "the value …".
std::string_view problem_of(std::string_view value);

}  // namespace talaria
