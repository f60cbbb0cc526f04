#include "patch/similarity.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace talaria {
namespace {

constexpr size_t words = 4;
constexpr size_t most_compared = words * 64;

// The length of the longest common subsequence, 64 places of `a` at a time (Hyyrö 2004).
size_t longest_common(std::string_view a, std::string_view b) {
  const size_t used = (a.size() + 63) / 64;
  std::array<std::array<uint64_t, words>, 256> places;
  for (char c : b) places[static_cast<unsigned char>(c)] = {};
  for (char c : a) places[static_cast<unsigned char>(c)] = {};
  for (size_t i = 0; i < a.size(); ++i) places[static_cast<unsigned char>(a[i])][i / 64] |= uint64_t{1} << (i % 64);
  std::array<uint64_t, words> open;
  open.fill(~uint64_t{0});
  for (char c : b) {
    const auto& here = places[static_cast<unsigned char>(c)];
    uint64_t carry = 0;
    for (size_t w = 0; w < used; ++w) {
      const uint64_t hit = open[w] & here[w];
      const uint64_t partial = open[w] + carry;
      const uint64_t sum = partial + hit;
      carry = (partial < carry) | (sum < hit);
      open[w] = sum | (open[w] & ~hit);
    }
  }
  size_t length = 0;
  for (size_t w = 0; w < used; ++w) length += static_cast<size_t>(std::popcount(~open[w]));
  return std::min(length, std::min(a.size(), b.size()));
}

}  // namespace

size_t common_bytes(std::string_view a, std::string_view b, WorkLimit& limit) {
  const auto front = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  a.remove_prefix(front);
  b.remove_prefix(front);
  const auto back = static_cast<size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  a.remove_suffix(back);
  b.remove_suffix(back);
  limit.spend((front + back) / 16 + 8);
  if (a.empty() || b.empty()) return front + back;
  a = a.substr(0, most_compared);
  b = b.substr(0, most_compared);
  // The table costs as much as some bytes.
  limit.spend(a.size() + b.size() * ((a.size() + 63) / 64) + 32);
  return front + longest_common(a, b) + back;
}

double similarity(std::string_view a, std::string_view b, double least, WorkLimit& limit) {
  if (a == b) return 1;
  const auto total = static_cast<double>(a.size() + b.size());
  if (2.0 * static_cast<double>(std::min(a.size(), b.size())) / total < least) return 0;
  if (!limit.spend(1)) return 0;
  return 2.0 * static_cast<double>(common_bytes(a, b, limit)) / total;
}

}  // namespace talaria
