#include "patch/sequence_search.h"

#include <functional>

#include "patch/normal_form.h"

namespace talaria {

LineHashes hash_trimmed(std::span<const std::string_view> lines) {
  LineHashes hashes;
  hashes.reserve(lines.size());
  for (std::string_view line : lines) hashes.push_back(std::hash<std::string_view>()(trim_blanks(line)));
  return hashes;
}

// Knuth, Morris and Pratt: for text of many equal lines, where trying every place would take the square of the time.
std::vector<size_t> find_sequence(std::span<const uint64_t> all, std::span<const uint64_t> wanted, Overlap overlap,
                                  size_t most) {
  std::vector<size_t> border(wanted.size() + 1, 0);  // of the first n: how many of its end are also its start
  for (size_t n = 1, length = 0; n < wanted.size(); ++n) {
    while (length > 0 && wanted[n] != wanted[length]) length = border[length];
    if (wanted[n] == wanted[length]) ++length;
    border[n + 1] = length;
  }
  std::vector<size_t> places;
  for (size_t at = 0, matched = 0; at < all.size() && places.size() < most; ++at) {
    while (matched > 0 && all[at] != wanted[matched]) matched = border[matched];
    if (all[at] == wanted[matched]) ++matched;
    if (matched < wanted.size()) continue;
    places.push_back(at + 1 - wanted.size());
    matched = overlap == Overlap::allowed ? border[matched] : 0;
  }
  return places;
}

}  // namespace talaria
