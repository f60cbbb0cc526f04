#include "config/dotenv.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "os/file.h"

namespace talaria {
namespace {

bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && (name[0] < '0' || name[0] > '9') && std::all_of(name.begin(), name.end(), fits);
}

std::string unescape(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
      continue;
    }
    const char c = text[++at];
    if (c == 'n') plain += '\n';
    else if (c == 't') plain += '\t';
    else if (c == '"' || c == '\\' || c == '$') plain += c;
    else plain += {'\\', c};
  }
  return plain;
}

// Where the quote that opens a value closes; npos when it does not.
size_t closing_quote(std::string_view value) {
  for (size_t at = 1; at < value.size(); ++at) {
    if (value[0] == '"' && value[at] == '\\') ++at;
    else if (value[at] == value[0]) return at;
  }
  return std::string_view::npos;
}

std::string read_value(std::string_view value) {
  if (!value.empty() && (value[0] == '"' || value[0] == '\'')) {
    const size_t close = closing_quote(value);
    if (close != std::string_view::npos) {
      const std::string_view inner = value.substr(1, close - 1);
      return value[0] == '"' ? unescape(inner) : std::string(inner);
    }
  }
  // A comment needs a blank before it: values may hold a #.
  for (size_t at = 1; at < value.size(); ++at) {
    if (value[at] == '#' && (value[at - 1] == ' ' || value[at - 1] == '\t')) value = value.substr(0, at);
  }
  return std::string(trim(value));
}

}  // namespace

std::map<std::string, std::string> parse_dotenv(std::string_view text) {
  std::map<std::string, std::string> variables;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (const std::string& raw : split(text, '\n')) {
    std::string_view line = trim(raw);
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    const std::string_view name = trim(line.substr(0, equals));
    if (is_name(name)) variables[std::string(name)] = read_value(trim(line.substr(equals + 1)));
  }
  return variables;
}

Result<std::map<std::string, std::string>> read_dotenv(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::map<std::string, std::string>();
    return Error::from_errno("look at " + path);
  }
  if ((info.st_mode & 077) != 0) {
    return Error(ErrorCode::denied, path + " can be read by others; run: chmod 600 " + shell_quote(path));
  }
  return parse_dotenv(TRY(read_file(path, 1 << 20)));
}

}  // namespace talaria
