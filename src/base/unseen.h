#pragma once
#include <string>
#include <string_view>

namespace talaria {

// What a terminal obeys instead of showing it; line ends and tabs are none.
bool is_terminal_control(char32_t character);

// What a reader does not see, or sees elsewhere than it stands: zero-width, direction-changing and tag characters.
bool is_unseen(char32_t character);

// Any bytes as a terminal may be given them: nothing of them is obeyed, and nothing hides. Control characters are
// written as ^[, those above ASCII and bytes that are no UTF-8 as \x9b, what is unseen as \u{202e}. Line ends and tabs
// stay; the carriage return of a line end goes.
std::string terminal_text(std::string_view text);

}  // namespace talaria
