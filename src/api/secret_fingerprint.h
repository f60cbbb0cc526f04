#pragma once
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "process/mask.h"
#include "store/secret_fingerprint_table.h"

namespace talaria {

// What makes the fingerprints of one home unlike those of any other.
class FingerprintKey {
 public:
  explicit FingerprintKey(std::string text);
  static std::string random_text();

  SecretFingerprint fingerprint(const std::string& name, std::string_view value) const;
  std::string digest(std::string_view value) const;
  uint64_t base() const { return base_; }

 private:
  std::string text_;
  uint64_t base_;  // of the rolling hash
};

// Finds values by their fingerprints: one pass over a text for each length that they have.
class FingerprintSearch {
 public:
  FingerprintSearch(FingerprintKey key, std::vector<SecretFingerprint> prints);
  FingerprintSearch(const FingerprintSearch&) = delete;  // it points into its own
  FingerprintSearch& operator=(const FingerprintSearch&) = delete;
  std::vector<SecretSpan> find(std::string_view text) const;

 private:
  struct OneLength {
    uint64_t power = 1;        // of the base: what the byte that leaves the window counts
    std::bitset<4096> likely;  // by the lowest bits of `rolling`; most bytes of a text end here
    std::unordered_multimap<uint32_t, const SecretFingerprint*> by_rolling;
  };
  void find_length(std::string_view text, size_t length, const OneLength& one, std::vector<SecretSpan>& spans) const;

  FingerprintKey key_;
  std::vector<SecretFingerprint> prints_;
  std::unordered_map<size_t, OneLength> lengths_;
};

}  // namespace talaria
