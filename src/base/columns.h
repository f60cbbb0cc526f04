#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace talaria {

// How many columns of a terminal a text of one line takes: Chinese, Japanese and Korean characters and emoji take two,
// combining and zero-width ones none. Terminals do not agree on every emoji; where they differ, the larger number
// counts, so that what is measured to fit does fit.
size_t columns_of(std::string_view text);

// As many characters from the start as fit into `most` columns, with the combining characters that belong to them.
std::string_view first_columns(std::string_view text, size_t most);

// The same with … at the end where something was left out.
std::string cut_to_columns(std::string_view text, size_t most);

// Broken at blanks into lines of `room` columns; those after the first are indented by `indent` blanks. A longer word
// is broken, too.
std::string wrap_to_columns(std::string_view text, size_t room, size_t indent);

}  // namespace talaria
