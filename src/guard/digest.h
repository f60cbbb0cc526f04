#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

// SHA-256, piece by piece. Of our own, so that the watch beside each sandbox stays small and needs no library.
class Digest {
 public:
  void add(std::string_view bytes);
  // Of all that was added, in hex; nothing may be added after it.
  std::string hex();

 private:
  void block(const unsigned char* bytes);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};
  size_t rest_size_ = 0;
  uint64_t size_ = 0;
};

}  // namespace talaria
