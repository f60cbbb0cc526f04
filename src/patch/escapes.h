#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// One way to take back a level of escaping that a caller put on its strings by mistake.
struct Unescaped {
  std::string old_text;
  std::string new_text;
};

// The readings of both strings in which \n, \t, \" and the like stand for one character, likeliest first; none when
// `old_text` has no such thing.
std::vector<Unescaped> unescape(std::string_view old_text, std::string_view new_text);

// Why `replacement` must not take the place of `passage`: it would leave escapes in the file that the caller's
// strings have and the file has not.
std::optional<std::string> stray_escape(std::string_view old_text, std::string_view replacement,
                                        std::string_view passage);

}  // namespace talaria
