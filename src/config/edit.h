#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// Edits of a config text that keep every byte a person wrote outside the edited value. Each result is parsed again
// and compared with the original before it is returned; an edit that would change anything else is an error.

// Values are as typed on a command line: `true`, `30`, `full`, `[a, b]`. A known key's value is checked against
// config_keys(); an unknown key takes any text or list of texts, a key below skills.config exactly the text that was
// typed.
Result<std::string> set_key(std::string_view text, std::string_view key, std::string_view value);

// Removes the key's lines with the comment beside its value; comments above it stay. An absent key changes nothing.
// A section that loses its last key goes too, unless it holds comments: then `section:` stays, which means nothing set.
Result<std::string> unset_key(std::string_view text, std::string_view key);

// The value on one line: a text as it is, a list as `[a, b]`, a section as `{a: 1}`. Nothing for absent or null.
Result<std::optional<std::string>> get_key(std::string_view text, std::string_view key);

}  // namespace talaria
