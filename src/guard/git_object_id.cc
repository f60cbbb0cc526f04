#include "guard/git_object_id.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace talaria {
namespace {

using Block = std::array<uint32_t, 16>;

// FIPS 180-4, 6.1.2.
struct Sha1 {
  std::vector<uint32_t> state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

  void add(const Block& block) {
    std::array<uint32_t, 80> words{};
    std::copy(block.begin(), block.end(), words.begin());
    for (size_t index = 16; index < 80; ++index)
      words[index] = std::rotl(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1);
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];
    uint32_t e = state[4];
    for (size_t index = 0; index < 80; ++index) {
      uint32_t mixed = b ^ c ^ d;
      uint32_t constant = index < 40 ? 0x6ed9eba1 : 0xca62c1d6;
      if (index < 20) {
        mixed = (b & c) | (~b & d);
        constant = 0x5a827999;
      } else if (index >= 40 && index < 60) {
        mixed = (b & c) | (b & d) | (c & d);
        constant = 0x8f1bbcdc;
      }
      const uint32_t next = std::rotl(a, 5) + mixed + e + constant + words[index];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
};

constexpr std::array<uint32_t, 64> sha256_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// FIPS 180-4, 6.2.2.
struct Sha256 {
  std::vector<uint32_t> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

  void add(const Block& block) {
    std::array<uint32_t, 64> words{};
    std::copy(block.begin(), block.end(), words.begin());
    for (size_t index = 16; index < 64; ++index) {
      const uint32_t early = words[index - 15];
      const uint32_t late = words[index - 2];
      words[index] = words[index - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ (early >> 3)) +
                     words[index - 7] + (std::rotr(late, 17) ^ std::rotr(late, 19) ^ (late >> 10));
    }
    std::array<uint32_t, 8> v{};
    std::copy(state.begin(), state.end(), v.begin());
    for (size_t index = 0; index < 64; ++index) {
      const uint32_t first = v[7] + (std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25)) +
                             ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha256_constants[index] + words[index];
      const uint32_t second = (std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22)) +
                              ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      v = {first + second, v[0], v[1], v[2], v[3] + first, v[4], v[5], v[6]};
    }
    for (size_t index = 0; index < 8; ++index) state[index] += v[index];
  }
};

Block block_at(const char* bytes) {
  Block block{};
  for (size_t index = 0; index < block.size(); ++index)
    for (size_t byte = 0; byte < 4; ++byte)
      block[index] = block[index] << 8 | static_cast<unsigned char>(bytes[index * 4 + byte]);
  return block;
}

template <class Hash>
std::string hashed(std::string_view head, std::string_view content) {
  Hash hash;
  const uint64_t bits = (head.size() + content.size()) * 8;
  // The head, which is short, with the content up to a whole block; then the content's blocks; then the padded rest.
  std::string rest(head);
  const size_t fill = std::min(content.size(), 64 - head.size());
  rest += content.substr(0, fill);
  content.remove_prefix(fill);
  if (rest.size() == 64) {
    hash.add(block_at(rest.data()));
    rest.clear();
    for (; content.size() >= 64; content.remove_prefix(64)) hash.add(block_at(content.data()));
    rest = content;
  }
  rest += '\x80';
  while (rest.size() % 64 != 56) rest += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift & 0xff);
  for (size_t begin = 0; begin < rest.size(); begin += 64) hash.add(block_at(rest.data() + begin));

  static constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (const uint32_t word : hash.state)
    for (int shift = 28; shift >= 0; shift -= 4) hex += digits[word >> shift & 0xf];
  return hex;
}

}  // namespace

std::string git_object_id(GitHash hash, std::string_view type, std::string_view content) {
  const std::string head = std::string(type) + " " + std::to_string(content.size()) + '\0';
  return hash == GitHash::sha1 ? hashed<Sha1>(head, content) : hashed<Sha256>(head, content);
}

}  // namespace talaria
