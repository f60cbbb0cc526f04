#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace talaria {

// One number for each line; equal lines have equal numbers.
using LineHashes = std::vector<uint64_t>;

LineHashes hash_trimmed(std::span<const std::string_view> lines);

enum class Overlap { allowed, skipped };

// Where `wanted` (not empty) begins in `all`, in time linear in both; at most `most` places.
std::vector<size_t> find_sequence(std::span<const uint64_t> all, std::span<const uint64_t> wanted, Overlap overlap,
                                  size_t most = static_cast<size_t>(-1));

}  // namespace talaria
