#pragma once
#include <cstddef>
#include <string_view>

namespace talaria {

// How much of the front of `bytes` reads the same whatever follows: up to a terminal sequence, character or CR LF that
// the end of `bytes` splits. What is unfinished for longer than any sequence is, counts as finished.
size_t whole_part(std::string_view bytes);

// The longest front of `bytes`, ending where it may be cut (after a line if there is one), whose cleaned text has at
// most `most_characters`. At least one byte if there are any, so that a reader always gets on.
size_t part_that_fits(std::string_view bytes, size_t most_characters);

}  // namespace talaria
