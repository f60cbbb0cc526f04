#pragma once
#include <string>
#include <string_view>

namespace talaria {

// A person's git configuration as a sandbox may see it: the settings that are known to name no program, no file and no
// address, and to hold no secret. Tokens are kept in addresses, headers and credentials; what else a setting may do is
// not known. Of a text that git refuses nothing is left.
std::string harmless_git_settings(std::string_view text);

}  // namespace talaria
