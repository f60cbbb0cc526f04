#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// `text` on one line, with single blanks and without what a reader cannot see: control characters, changes of the
// writing direction, zero-width blanks and tag characters. Joiners stay, as emoji and some scripts need them.
std::string one_line(std::string_view text);

// The first paragraph of a Markdown text on one line: no heading, comment, image, rule or code.
std::string first_paragraph(std::string_view markdown);

// A line of at most `most` characters: a longer one ends after a word, if one ends near there, and with an ellipsis.
std::string first_words(std::string_view line, size_t most);

// "a, b" or "[a, 'b']" taken apart, each part on one line and none empty.
std::vector<std::string> split_names(std::string_view text);
// Names that have no blanks in them but in parentheses: "Read, Bash(git add:*) Write".
std::vector<std::string> split_words(std::string_view text);

}  // namespace talaria
