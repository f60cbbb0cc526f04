#include "patch/passage.h"

#include <cstring>

namespace talaria {

std::vector<Passage> find_all(std::string_view text, std::string_view wanted) {
  std::vector<Passage> places;
  if (wanted.empty()) return places;
  for (size_t from = 0; text.size() - from >= wanted.size();) {
    // Unlike string_view::find it takes linear time whatever the text.
    const void* found = memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
    if (!found) break;
    const auto begin = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    from = begin + wanted.size();
    places.push_back({begin, from});
  }
  return places;
}

}  // namespace talaria
