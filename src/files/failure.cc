#include "files/failure.h"

#include <system_error>

#include "base/unseen.h"
#include "files/text_encoding.h"

namespace talaria {

JsonObject failure(std::string_view message, std::string_view path) {
  return {{"error", valid_utf8(message)}, {"path", valid_utf8(path)}};
}

std::string reason_of(const Error& error, std::initializer_list<std::string_view> paths) {
  if (error.number() != 0) return std::generic_category().message(error.number());
  const std::string& message = error.message();
  for (const std::string_view asked : paths) {
    const std::string path = shown_line(asked);
    const size_t at = path.empty() ? std::string::npos : message.find(path);
    if (at == std::string::npos) continue;
    const std::string rest = message.substr(at + path.size());
    if (!rest.starts_with(": ") && !rest.starts_with(" ")) continue;  // another that begins with the same letters
    // "open /a/f: it is a FIFO", but "may not read /a/f: it is a credential file".
    if (rest.starts_with(": ") && !message.starts_with("may not ")) return rest.substr(2);
    return message.substr(0, at) + "it" + rest;
  }
  return message;
}

std::string where_looked_for(std::string_view shown_path, std::string_view path) {
  if (shown_path.starts_with('/')) return "";
  const std::string_view relative = shown_path.starts_with("~/") ? shown_path.substr(2) : shown_path;
  const bool below = path.size() > relative.size() + 1 && path.ends_with(relative);
  const std::string_view folder = below ? path.substr(0, path.size() - relative.size() - 1) : path;
  return " (looked for in " + shown_line(folder) + ")";
}

}  // namespace talaria
