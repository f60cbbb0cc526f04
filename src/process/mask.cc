#include "process/mask.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace talaria {
namespace {

constexpr size_t shortest_secret = 8;
constexpr size_t shortest_rest = 4;

struct Secret {
  std::string_view value;
  std::string_view name;
};

// Longest first.
std::vector<Secret> sorted(const Environment& env) {
  std::vector<Secret> secrets;
  for (const auto& [name, value] : env) {
    // A line end at the end of a value does not come back with it.
    const std::string_view secret = trim(value);
    if (secret.size() >= shortest_secret) secrets.push_back({secret, name});
  }
  std::stable_sort(secrets.begin(), secrets.end(),
                   [](const Secret& a, const Secret& b) { return a.value.size() > b.value.size(); });
  return secrets;
}

}  // namespace

std::string mask_secrets(std::string text, const Environment& env) {
  const std::vector<Secret> secrets = sorted(env);
  if (secrets.empty()) return text;
  // One pass over the text: most bytes start no secret.
  std::array<std::vector<const Secret*>, 256> by_first_byte;
  for (const Secret& secret : secrets) {
    by_first_byte[static_cast<unsigned char>(secret.value.front())].push_back(&secret);
  }
  std::string masked;
  size_t copied = 0;
  const std::string_view whole = text;
  for (size_t i = 0; i < whole.size();) {
    const auto& candidates = by_first_byte[static_cast<unsigned char>(whole[i])];
    const auto found = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const Secret* secret) { return whole.substr(i).starts_with(secret->value); });
    if (found == candidates.end()) {
      ++i;
      continue;
    }
    masked.append(whole, copied, i - copied).append("[masked ").append((*found)->name).append("]");
    copied = i += (*found)->value.size();
  }
  if (copied == 0) return text;
  return masked.append(whole.substr(copied));
}

size_t cut_around_secrets(std::string_view bytes, size_t cut, const Environment& env) {
  const std::vector<Secret> secrets = sorted(env);
  const size_t longest = secrets.empty() ? 0 : secrets.front().value.size();
  for (size_t begin = cut - std::min(cut, longest); begin < cut; ++begin) {
    const std::string_view rest = bytes.substr(begin);
    for (const Secret& secret : secrets) {
      if (begin + secret.value.size() <= cut) continue;
      const bool whole = rest.size() >= secret.value.size();
      if (whole ? !rest.starts_with(secret.value) : !secret.value.starts_with(rest)) continue;
      return begin == 0 && whole ? secret.value.size() : begin;
    }
  }
  return cut;
}

std::string mask_cut_secret(std::string text, const Environment& env, CutEnd end) {
  for (const Secret& secret : sorted(env)) {
    const std::string mask = "[masked " + std::string(secret.name) + "]";
    for (size_t length = std::min(text.size(), secret.value.size() - 1); length >= shortest_rest; --length) {
      if (end == CutEnd::front && text.starts_with(secret.value.substr(secret.value.size() - length))) {
        return mask + text.substr(length);
      }
      if (end == CutEnd::back && text.ends_with(secret.value.substr(0, length))) {
        return text.substr(0, text.size() - length) + mask;
      }
    }
  }
  return text;
}

}  // namespace talaria
