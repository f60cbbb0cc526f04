#include "skills/slug.h"

#include <cstdint>
#include <cstdio>

#include "base/text.h"
#include "skills/skill_card.h"

namespace talaria {

std::string slug_of(std::string_view name) {
  std::string slug;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ' || c == '_') c = '-';
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (!fits || (c == '-' && (slug.empty() || slug.back() == '-'))) continue;
    slug += c;
    if (slug.size() == longest_slug) break;
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

std::string slug_for(std::string_view name, std::string_view folder) {
  for (std::string_view source : {name, folder}) {
    if (std::string slug = slug_of(source); !slug.empty()) return slug;
  }
  // FNV-1a: the same name gets the same slug on every machine, for ever.
  uint64_t hash = 0xcbf29ce484222325u;
  for (std::string_view source : {name, folder}) {
    for (char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  char text[24];
  std::snprintf(text, sizeof text, "skill-%012llx", static_cast<unsigned long long>(hash >> 16));
  return text;
}

std::string folded_name(std::string_view name) {
  std::string text = lower(trim(name));
  for (char& c : text) {
    if (c == '_' || c == ' ') c = '-';
  }
  return text;
}

bool is_skill_name(std::string_view name) { return !name.empty() && slug_of(name) == name; }

}  // namespace talaria
