#include "talaria/own_variables.h"

#include "base/utf8.h"

extern char** environ;

namespace talaria {

JsonObject own_variables() {
  JsonObject variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_utf8(text)) continue;
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

}  // namespace talaria
