#pragma once
#include <string>
#include <string_view>

#include "base/unseen.h"  // IWYU pragma: export

namespace talaria {

// Any bytes as text that is safe to read: valid UTF-8, lines end with \n, tabs stay, other control characters are shown
// (\x1b).
std::string shown_text(std::string_view bytes);

// A path as JSON can hold it: as it is, or shown where it is no text.
std::string path_text(const std::string& path);

// The first `most` characters, and "...[truncated]" if that is not all of them.
std::string shortened(std::string_view text, size_t most);

// At most 100 characters of shown_line(text), in double quotes: how an error repeats what someone asked for.
std::string quoted_line(std::string_view text);

// Without the blank lines at its start and all blanks at its end.
std::string_view without_outer_blank_lines(std::string_view text);

}  // namespace talaria
