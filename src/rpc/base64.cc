#include "rpc/base64.h"

#include <array>
#include <cstdint>

namespace talaria {
namespace {

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t no_digit = 0xff;

constexpr std::array<uint8_t, 256> make_digits() {
  std::array<uint8_t, 256> digits{};
  for (uint8_t& digit : digits) digit = no_digit;
  for (uint8_t i = 0; i < 64; ++i) digits[static_cast<unsigned char>(alphabet[i])] = i;
  return digits;
}
constexpr std::array<uint8_t, 256> digits = make_digits();

uint32_t byte_at(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const uint32_t group = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) *out++ = alphabet[group >> shift & 63];
  }
  if (const size_t rest = bytes.size() - i; rest > 0) {
    const uint32_t group = byte_at(bytes, i) << 16 | (rest == 2 ? byte_at(bytes, i + 1) << 8 : 0);
    *out++ = alphabet[group >> 18 & 63];
    *out++ = alphabet[group >> 12 & 63];
    if (rest == 2) *out++ = alphabet[group >> 6 & 63];
  }
  return text;
}

Result<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return invalid("base64 must come in groups of four characters, padded with '='");
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const size_t count = text.size() - padding;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t digit = digits[byte_at(text, i)];
    if (digit == no_digit) return invalid("not a base64 character at position " + std::to_string(i));
    group = group << 6 | digit;
    if (i % 4 != 3) continue;
    bytes += static_cast<char>(group >> 16);
    bytes += static_cast<char>(group >> 8);
    bytes += static_cast<char>(group);
    group = 0;
  }
  if (padding == 0) return bytes;
  group <<= 6 * padding;
  if (group & (padding == 1 ? 0xffu : 0xffffu)) return invalid("base64 ends in bits that mean nothing");
  bytes += static_cast<char>(group >> 16);
  if (padding == 1) bytes += static_cast<char>(group >> 8);
  return bytes;
}

}  // namespace talaria
