#include "process/secret_setting.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "os/file.h"
#include "process/environment.h"
#include "process/secret_value.h"

namespace talaria {
namespace {

constexpr size_t longest_plain_word = 16;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// In lower case with _ between the words: apiKey, API-KEY and "api key" are api_key.
std::string name_in_words(std::string_view name) {
  std::string words;
  for (size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (is_upper(c) && at > 0 && is_lower(name[at - 1])) words += '_';
    words += is_lower(c) || is_upper(c) || is_digit(c) ? c : '_';
  }
  return lower(words);
}

// How many, or for everybody to see: max_tokens, token_limit, public_key.
bool has_harmless_word(const std::vector<std::string>& words) {
  constexpr auto harmless =
      std::to_array<std::string_view>({"max", "min", "limit", "count", "number", "budget", "per", "public"});
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(harmless.begin(), harmless.end(), word) != harmless.end();
  });
}

// Names that mean nothing but a secret; of others (key, auth, pass) a plain word is no secret.
bool is_plainly_secret(const std::string& name) {
  constexpr auto endings =
      std::to_array<std::string_view>({"token", "tokens", "secret", "secrets", "password", "passwords", "passwd", "pwd",
                                       "passphrase", "passcode", "credential", "credentials", "apikey"});
  constexpr auto keys = std::to_array<std::string_view>({"api_key", "private_key", "secret_key", "access_key"});
  const std::vector<std::string> words = split(name, '_');
  const bool by_word = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return word.ends_with(ending); });
  });
  return by_word || std::any_of(keys.begin(), keys.end(),
                                [&](std::string_view key) { return name.find(key) != std::string::npos; });
}

bool is_number(std::string_view value) { return !value.empty() && std::all_of(value.begin(), value.end(), is_digit); }

bool is_switch(std::string_view value) {
  constexpr auto words =
      std::to_array<std::string_view>({"true", "false", "yes", "no", "on", "off", "none", "null", "auto"});
  return std::find(words.begin(), words.end(), lower(value)) != words.end();
}

// ${NAME}, which stands for a value that is elsewhere.
bool is_reference(std::string_view value) { return value.starts_with("${") && value.find('}') == value.size() - 1; }

// From /, only what begins with a folder of this machine: encoded keys may begin with a slash.
bool is_place(std::string_view value) {
  if (value.starts_with("~/") || value.starts_with("./")) return true;
  const size_t second = value.find('/', 1);
  return value.starts_with('/') && second != std::string_view::npos && exists(std::string(value.substr(0, second)));
}

bool is_plain_word(std::string_view value) {
  const auto fits = [](char c) { return is_lower(c) || c == '-' || c == '_'; };
  return value.size() <= longest_plain_word && std::all_of(value.begin(), value.end(), fits);
}

bool is_name_of_secret(const std::string& words) {
  return is_secret_name(words) && !has_harmless_word(split(words, '_'));
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

bool is_secret_under(std::string_view name, std::string_view value) {
  const std::string words = name_in_words(name);
  if (value.empty() || !is_name_of_secret(words)) return false;
  if (is_switch(value) || is_reference(value) || is_place(value)) return false;
  if (is_number(value) && words.ends_with("tokens")) return false;
  return is_plainly_secret(words) || !(is_plain_word(value) || is_number(value));
}

// password=…, "token: …", ?api_key=…, wherever it stands.
bool names_a_secret(std::string_view text) {
  constexpr std::string_view blanks = " \t", ends = " \t\n\r;,&\"'`)]}";
  for (size_t at = text.find_first_of("=:"); at != std::string_view::npos; at = text.find_first_of("=:", at + 1)) {
    std::string_view before = trim(text.substr(0, at));
    if (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
    const auto fits = [](char c) { return is_lower(c) || is_upper(c) || is_digit(c) || c == '_' || c == '-'; };
    const auto start = std::find_if_not(before.rbegin(), before.rend(), fits).base();
    const std::string_view name = before.substr(static_cast<size_t>(start - before.begin()));
    std::string_view value = text.substr(at + 1);
    value.remove_prefix(std::min(value.find_first_not_of(blanks), value.size()));
    if (value.starts_with('"') || value.starts_with('\'')) value.remove_prefix(1);
    const size_t length = value.starts_with("${") ? value.find('}') + 1 : value.find_first_of(ends);
    if (is_secret_under(name, value.substr(0, length))) return true;
  }
  return false;
}

}  // namespace

bool speaks_of_secret(std::string_view words) { return is_secret_name(name_in_words(words)); }

bool is_secret_setting_name(std::string_view key) { return is_name_of_secret(name_in_words(last_part(key))); }

bool is_secret_setting(std::string_view key, std::string_view value) {
  const std::string_view text = trim(value);
  return holds_secret(text) || is_secret_under(last_part(key), text) || names_a_secret(text);
}

}  // namespace talaria
