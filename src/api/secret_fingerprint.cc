#include "api/secret_fingerprint.h"

#include <algorithm>
#include <charconv>

#include "files/sha256.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr int key_words = 4;

uint64_t counts(char byte) { return static_cast<unsigned char>(byte) + 1U; }

// The upper half: the lower one of a product has less of the key in it.
uint32_t upper_half(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

uint64_t rolling_hash(std::string_view bytes, uint64_t base) {
  uint64_t hash = 0;
  for (const char byte : bytes) hash = hash * base + counts(byte);
  return hash;
}

size_t likely_place(uint32_t rolling) { return rolling & 4095U; }

}  // namespace

std::string FingerprintKey::random_text() {
  std::string text;
  for (int word = 0; word < key_words; ++word) text += std::to_string(random_u64()) + " ";
  return text;
}

FingerprintKey::FingerprintKey(std::string text) : text_(std::move(text)), base_(0) {
  const std::string digits = sha256("rolling " + text_);
  std::from_chars(digits.data(), digits.data() + 16, base_, 16);
  base_ |= 1;  // an even one would forget the bytes that are far back
}

std::string FingerprintKey::digest(std::string_view value) const {
  const SecretText salted("value " + text_ + std::string(value));
  return sha256(salted.text());
}

SecretFingerprint FingerprintKey::fingerprint(const std::string& name, std::string_view value) const {
  return {name, value.size(), upper_half(rolling_hash(value, base_)), digest(value)};
}

FingerprintSearch::FingerprintSearch(FingerprintKey key, std::vector<SecretFingerprint> prints)
    : key_(std::move(key)), prints_(std::move(prints)) {
  for (const SecretFingerprint& print : prints_) {
    if (print.length == 0) continue;
    OneLength& one = lengths_[print.length];
    one.likely.set(likely_place(print.rolling));
    one.by_rolling.emplace(print.rolling, &print);
  }
  for (auto& [length, one] : lengths_) {
    for (size_t byte = 1; byte < length; ++byte) one.power *= key_.base();
  }
}

void FingerprintSearch::find_length(std::string_view text, size_t length, const OneLength& one,
                                    std::vector<SecretSpan>& spans) const {
  if (text.size() < length) return;
  uint64_t hash = rolling_hash(text.substr(0, length), key_.base());
  for (size_t begin = 0;; ++begin) {
    const uint32_t rolling = upper_half(hash);
    if (one.likely.test(likely_place(rolling)) && one.by_rolling.contains(rolling)) {
      const std::string digest = key_.digest(text.substr(begin, length));
      const auto [first, last] = one.by_rolling.equal_range(rolling);
      const auto found = std::find_if(first, last, [&](const auto& entry) { return entry.second->digest == digest; });
      if (found != last) spans.push_back({begin, length, found->second->name});
    }
    if (begin + length == text.size()) return;
    hash = (hash - counts(text[begin]) * one.power) * key_.base() + counts(text[begin + length]);
  }
}

std::vector<SecretSpan> FingerprintSearch::find(std::string_view text) const {
  std::vector<SecretSpan> spans;
  for (const auto& [length, one] : lengths_) find_length(text, length, one, spans);
  std::ranges::sort(spans, [](const SecretSpan& a, const SecretSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.length > b.length;
  });
  return spans;
}

}  // namespace talaria
