#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace talaria {

inline constexpr size_t longest_slug = 64;

// The slug of the name, else of the folder, else one made of a hash of both: never empty.
std::string slug_for(std::string_view name, std::string_view folder);

// The rule of the open format: 1 to 64 lower-case letters, digits and single hyphens between them.
bool is_skill_name(std::string_view name);

// What the spellings of one name have in common: case does not count, and - _ and blanks are the same. Names are
// compared by this in look-ups and in skills.disabled.
std::string folded_name(std::string_view name);

}  // namespace talaria
