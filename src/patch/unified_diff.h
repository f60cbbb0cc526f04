#pragma once
#include <string>
#include <string_view>

namespace talaria {

// What `diff -u` would print, with "a/path" and "b/path" in its head ("/dev/null" where a name is empty); empty when
// both are the same. At most `most_bytes`, the rest replaced by a line that says how much is left out.
std::string unified_diff(std::string_view before_path, std::string_view before, std::string_view after_path,
                         std::string_view after, size_t most_bytes = 100'000);

enum class Renamed { as_it_was, with_changes };

// What git prints of a file that moved, above the difference of its content, if there is any.
std::string rename_head(std::string_view before_path, std::string_view after_path, Renamed renamed);

}  // namespace talaria
