#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// What the tokens of a skill's body stand for.
struct TokenValues {
  std::string skill_directory;         // ${HERMES_SKILL_DIR}
  std::optional<std::string> session;  // ${HERMES_SESSION_ID}; without a session the token stays
};

// The body with its tokens replaced, in one pass: what a value brings in is never looked at again.
std::string with_tokens(std::string_view body, const TokenValues& values);

}  // namespace talaria
