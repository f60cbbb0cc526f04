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

// The same on one line, for names and paths: line ends and tabs are shown too (\n, \t), other control characters and
// bytes that are no UTF-8 as \x1b, what is unseen as \u{202e}. So what comes from a file's name or a setting cannot
// speak as anything else. Shown once more it stays as it is.
std::string shown_line(std::string_view text);

}  // namespace talaria
