#pragma once
#include <string_view>

namespace talaria {

// Whether the words of a name or of a question speak of a secret: api_key, "Your GitHub password".
bool speaks_of_secret(std::string_view words);

// Whether the last part of a setting's key does, and not of how many: demo.api_key, but not demo.max_tokens.
bool is_secret_setting_name(std::string_view key);

// Whether what a person set under this key, such as demo.api_key, is kept from models, tables and logs: it looks like a
// secret (secret_value.h), names one (password=…), or the last part of the key does. A number of tokens, a switch, a
// path, a ${VARIABLE} and, where the name may mean something else (sort_key), a plain word are none.
bool is_secret_setting(std::string_view key, std::string_view value);

// What is shown in its place.
inline constexpr std::string_view hidden_setting = "(not shown: it looks like a secret)";

}  // namespace talaria
