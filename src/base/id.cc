#include "base/id.h"

#include <algorithm>

namespace talaria {
namespace {
constexpr std::string_view letters = "23456789abcdefghjkmnpqrstvwxyz";
}  // namespace

std::string id_from(uint64_t random) {
  std::string id(id_length, '2');
  for (char& letter : id) {
    letter = letters[random % letters.size()];
    random /= letters.size();
  }
  return id;
}

bool looks_like_id(std::string_view text) {
  return !text.empty() && text.size() <= id_length &&
         std::all_of(text.begin(), text.end(), [](char c) { return letters.find(c) != std::string_view::npos; });
}

}  // namespace talaria
