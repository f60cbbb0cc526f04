#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// The one of `names` that another spelling of it means: "cmd" is command, "session_id" is sessionId, "dir" is workdir.
// Empty when there is none.
std::string meant_name(std::string_view word, const std::vector<std::string>& names);

// The same as the end of a sentence that says what is wrong: "; did you mean command?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);
// The same with all there are: "; did you mean command? There are command, cwd" or "; there are command, cwd".
std::string did_you_mean_one_of(std::string_view word, const std::vector<std::string>& names);
// And as a sentence after another one: " Did you mean command?"
std::string did_you_mean_sentence(std::string_view word, const std::vector<std::string>& names);

}  // namespace talaria
