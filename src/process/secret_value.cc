#include "process/secret_value.h"

#include <algorithm>
#include <array>

namespace talaria {
namespace {

// A token begins with `prefix` and goes on with at least `least` letters, digits and characters of `others`.
struct TokenForm {
  std::string_view prefix;
  size_t least;
  std::string_view others = "";
};

constexpr auto token_forms = std::to_array<TokenForm>({
    {"sk_live_", 10},
    {"sk_test_", 10},
    {"rk_live_", 10},
    {"rk_test_", 10},
    {"whsec_", 16},
    {"ghp_", 20},
    {"gho_", 20},
    {"ghu_", 20},
    {"ghs_", 20},
    {"ghr_", 20},
    {"github_pat_", 20, "_"},
    {"glpat-", 16, "_-."},
    {"xoxa-", 10, "-"},
    {"xoxb-", 10, "-"},
    {"xoxe-", 10, "-"},
    {"xoxp-", 10, "-"},
    {"xoxr-", 10, "-"},
    {"xoxs-", 10, "-"},
    {"xapp-", 10, "-"},
    {"AKIA", 16},
    {"ASIA", 16},
    {"AIza", 30, "_-"},
    {"ya29.", 20, "_-"},
    {"hf_", 20},
    {"npm_", 30},
    {"gsk_", 20},
    {"pypi-", 50, "_-"},
    {"shpat_", 20},
    {"dop_v1_", 32},
    {"SG.", 40, "._-"},
    {"AGE-SECRET-KEY-1", 40},
});

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string_view run_of(std::string_view text, std::string_view others) {
  const auto end = std::find_if_not(text.begin(), text.end(), [&](char c) {
    return is_letter_or_digit(c) || others.find(c) != std::string_view::npos;
  });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

// sk-…, sk-proj-…, sk-ant-api03-…: words with hyphens begin so, too, but have no long part with digits in it.
bool is_sk_token(std::string_view text) {
  std::string_view rest = run_of(text.substr(3), "_-");
  if (rest.size() >= 40) return true;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find_first_of("_-"));
    if (part.size() >= 16 && part.find_first_of("0123456789") != std::string_view::npos) return true;
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return false;
}

// Header, claims and signature, of which the first two are JSON objects.
bool is_web_token(std::string_view text) {
  const std::string_view header = run_of(text, "_-");
  text.remove_prefix(header.size());
  if (header.size() < 10 || !text.starts_with(".eyJ")) return false;
  const std::string_view claims = run_of(text.substr(1), "_-");
  return text.substr(1 + claims.size()).starts_with('.');
}

bool begins_with_token(std::string_view text) {
  if (text.starts_with("sk-")) return is_sk_token(text);
  if (text.starts_with("eyJ")) return is_web_token(text);
  return std::any_of(token_forms.begin(), token_forms.end(), [&](const TokenForm& form) {
    return text.starts_with(form.prefix) && run_of(text.substr(form.prefix.size()), form.others).size() >= form.least;
  });
}

bool holds_token(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const bool inside_word = at > 0 && is_letter_or_digit(text[at - 1]);
    if (!inside_word && begins_with_token(text.substr(at))) return true;
  }
  return false;
}

bool holds_private_key(std::string_view text) {
  const size_t begin = text.find("-----BEGIN ");
  return begin != std::string_view::npos && text.find("PRIVATE KEY", begin) != std::string_view::npos;
}

// "postgres://user:password@host".
bool holds_password_in_address(std::string_view text) {
  for (size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 3)) {
    const std::string_view rest = text.substr(at + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?# \t\n"));
    const size_t sign = authority.rfind('@');
    const size_t colon = authority.find(':');
    if (sign != std::string_view::npos && colon < sign && sign - colon > 1) return true;
  }
  return false;
}

}  // namespace

bool holds_secret(std::string_view text) {
  return holds_token(text) || holds_private_key(text) || holds_password_in_address(text);
}

}  // namespace talaria
