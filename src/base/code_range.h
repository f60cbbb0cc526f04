#pragma once
#include <algorithm>
#include <span>

namespace talaria {

// Characters from `first` to `last`, both included.
struct CodeRange {
  char32_t first;
  char32_t last;
};

// `ranges` are in order and do not overlap.
constexpr bool is_in(std::span<const CodeRange> ranges, char32_t character) {
  const auto found = std::partition_point(ranges.begin(), ranges.end(),
                                          [character](CodeRange range) { return range.last < character; });
  return found != ranges.end() && found->first <= character;
}

}  // namespace talaria
