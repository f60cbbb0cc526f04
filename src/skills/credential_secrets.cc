#include "skills/credential_secrets.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "json/json.h"
#include "os/fd.h"
#include "os/file.h"
#include "process/secret_forms.h"
#include "process/secret_setting.h"
#include "process/secret_value.h"
#include "skills/skill_body_text.h"

namespace talaria {
namespace {

constexpr size_t most_content = 256 << 10;
constexpr size_t most_secrets = 64;  // of one file

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_address(std::string_view value) { return value.starts_with("https://") || value.starts_with("http://"); }

// Whatever it is called: long, and of letters and digits.
bool is_mixed(std::string_view value) {
  return value.size() >= 2 * shortest_secret && std::ranges::any_of(value, is_letter) &&
         std::ranges::any_of(value, is_digit);
}

bool is_secret_value(std::string_view key, std::string_view value) {
  if (value.size() < shortest_secret) return false;
  if (is_address(value)) return holds_secret(value);
  return is_secret_setting(key, value) || holds_secret(value) || is_mixed(value);
}

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
  });
}

std::string_view bare_value(std::string_view value) {
  const bool quoted = value.size() > 1 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0];
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::string_view text_in(const Json& text) { return {text.get_string().data(), text.get_string().size()}; }

// Of "https://user:password@host"; else empty.
std::string_view password_in(std::string_view word) {
  const size_t scheme = word.find("://");
  if (scheme == std::string_view::npos) return {};
  const std::string_view authority = word.substr(scheme + 3, word.find('/', scheme + 3) - scheme - 3);
  const size_t sign = authority.rfind('@'), colon = authority.find(':');
  return sign != std::string_view::npos && colon < sign ? authority.substr(colon + 1, sign - colon - 1)
                                                        : std::string_view();
}

class CredentialReader {
 public:
  explicit CredentialReader(std::string_view path) : name_(shown_line(path)) {}

  Environment read(std::string_view content) {
    const Result<Json> json = parse_json(content);
    if (json && (json->is_object() || json->is_array())) read_value("", *json);
    else if (json && json->is_string()) add(name_, text_in(*json));
    else read_lines(content);
    return std::move(secrets_);
  }

 private:
  void read_value(const std::string& place, const Json& value) {
    const auto inner = [&](std::string_view key) {
      return place.empty() ? std::string(key) : place + "." + std::string(key);
    };
    if (const JsonObject* map = value.if_object()) {
      for (const auto& field : *map) read_value(inner(field.key()), field.value());
    } else if (const JsonArray* list = value.if_array()) {
      for (size_t i = 0; i < list->size(); ++i) read_value(inner(std::to_string(i)), (*list)[i]);
    } else if (value.is_string()) {
      add_value(place, text_in(value));
    }
  }

  void read_lines(std::string_view content) {
    std::string others;
    for (const std::string& whole : split(content, '\n')) {
      const std::string_view line = trim(whole);
      if (line.empty() || line[0] == '#' || line[0] == ';' || line[0] == '[') continue;
      if (!read_pair(line)) others.append(line).append("\n");
    }
    add(name_, trim(others));
    read_words(others);
  }

  // "key = value", "key: value", "export KEY=value". An encoded key may end with =, and has no value then.
  bool read_pair(std::string_view line) {
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const size_t sign = line.find_first_of("=:");
    if (sign == std::string_view::npos) return false;
    const std::string_view key = trim(line.substr(0, sign)), value = trim(line.substr(sign + 1));
    if (!is_key(key) || value.empty() || value[0] == '=' || value.starts_with("//")) return false;
    add_value(std::string(key), bare_value(value));
    return true;
  }

  // Of a line with several words, as in a .netrc or a file of cookies, a program prints one; of an address, the
  // password.
  void read_words(std::string_view text) {
    for (const std::string& line : split(text, '\n')) {
      if (line.starts_with("-----")) continue;
      const std::vector<std::string_view> words = words_of(line);
      for (size_t i = 0; i < words.size(); ++i) {
        add(name_ + " password", password_in(words[i]));
        if (words.size() == 1) break;
        const std::string_view before = i == 0 ? std::string_view() : words[i - 1];
        if (!is_secret_setting_name(before) && !holds_secret(words[i]) && !is_mixed(words[i])) continue;
        add(is_key(before) ? name_ + " " + std::string(before) : name_, words[i]);
      }
    }
  }

  static std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (true) {
      const size_t begin = line.find_first_not_of(" \t");
      if (begin == std::string_view::npos) return words;
      const size_t end = std::min(line.find_first_of(" \t", begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      line.remove_prefix(end);
    }
  }

  void add_value(const std::string& place, std::string_view value) {
    if (is_secret_value(place, value)) add(place.empty() ? name_ : name_ + " " + shown_line(place), value);
  }

  void add(const std::string& name, std::string_view value) {
    if (value.size() < shortest_secret || secrets_.size() >= most_secrets) return;
    std::string free = name;
    for (int number = 2; secrets_.contains(free); ++number) free = name + " " + std::to_string(number);
    secrets_.emplace(std::move(free), value);
  }

  std::string name_;
  Environment secrets_;
};

// It was a file in Talaria's home when it was judged, and only a person could have put something else there since.
Result<std::string> read_credential(const CredentialFile& file) {
  const UniqueFd fd(::open(file.real_path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return Error::from_errno("read " + file.real_path);
  if (!S_ISREG(info.st_mode)) return invalid(file.real_path + " is no file");
  return read_at(fd.get(), 0, most_content);
}

}  // namespace

Environment secrets_in_credential(std::string_view path, std::string_view content) {
  return CredentialReader(path).read(content);
}

Environment credential_secrets(const std::vector<CredentialFile>& files) {
  Environment all;
  for (const CredentialFile& file : files) {
    if (const Result<std::string> content = read_credential(file))
      all.merge(secrets_in_credential(file.path, *content));
  }
  return all;
}

}  // namespace talaria
