#include "files/failure.h"

#include "files/text_encoding.h"

namespace talaria {

JsonObject failure(std::string_view message, std::string_view path) {
  return {{"error", valid_utf8(message)}, {"path", valid_utf8(path)}};
}

}  // namespace talaria
