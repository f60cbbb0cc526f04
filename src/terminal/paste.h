#pragma once
#include <string>
#include <string_view>

namespace talaria {

enum class Bracketed { no, yes };  // yes: the program asked to be told where a paste begins and ends

// What a terminal sends when `text` is pasted: line ends as CR, begin- and end-of-paste sequences taken out of the
// text (also those that only form when another is taken out), so that a paste can never end early and type keys.
std::string paste_bytes(std::string_view text, Bracketed bracketed);

}  // namespace talaria
