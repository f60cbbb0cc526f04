#pragma once
#include <string>
#include <string_view>

namespace talaria {

// What Python's report of an exception comes down to: "ValueError: bad"; of a syntax error with its line number:
// "SyntaxError: invalid syntax (line 3)". Empty when `errors` holds no report.
std::string exception_line(std::string_view errors);

// One sentence for those who made a mistake that is often made; empty for all others. `exception` is the line above.
std::string hint_for(std::string_view exception, std::string_view interpreter);

}  // namespace talaria
