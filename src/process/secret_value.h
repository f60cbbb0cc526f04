#pragma once
#include <string_view>

namespace talaria {

// Whether a text holds what looks like a secret, whatever the name it goes by: a token in one of the well-known forms
// (sk-…, ghp_…, AKIA…, a JWT), a private key, an address with a password in it.
bool holds_secret(std::string_view text);

}  // namespace talaria
