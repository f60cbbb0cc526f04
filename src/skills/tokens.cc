#include "skills/tokens.h"

namespace talaria {

std::string with_tokens(std::string_view body, const TokenValues& values) {
  constexpr std::string_view directory = "${HERMES_SKILL_DIR}";
  constexpr std::string_view session = "${HERMES_SESSION_ID}";
  std::string out;
  out.reserve(body.size());
  while (true) {
    const size_t start = body.find("${HERMES_S");
    out += body.substr(0, start);
    if (start == std::string_view::npos) return out;
    body.remove_prefix(start);
    if (body.starts_with(directory)) {
      out += values.skill_directory;
      body.remove_prefix(directory.size());
    } else if (values.session && body.starts_with(session)) {
      out += *values.session;
      body.remove_prefix(session.size());
    } else {
      out += body.front();
      body.remove_prefix(1);
    }
  }
}

}  // namespace talaria
