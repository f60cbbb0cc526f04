#include "web/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include "base/text.h"

namespace talaria {
namespace {

uint32_t number_at(const IpAddress& address, size_t offset) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | address.bytes[offset + i];
  return number;
}

struct Range4 {
  uint32_t base;
  int prefix;
};

// The registries' special purposes, and Azure's 168.63.129.16, which each machine there sees as its host.
constexpr Range4 not_public4[] = {
    {0x00000000, 8},   // this network
    {0x0a000000, 8},   // private
    {0x64400000, 10},  // shared by carriers; Alibaba's metadata
    {0x7f000000, 8},   // loopback
    {0xa83f8110, 32},  // Azure's host
    {0xa9fe0000, 16},  // link-local; metadata of most clouds
    {0xac100000, 12},  // private
    {0xc0000000, 24},  // protocol assignments; Oracle's metadata
    {0xc0000200, 24},  // documentation
    {0xc0586300, 24},  // 6to4 relays
    {0xc0a80000, 16},  // private
    {0xc6120000, 15},  // benchmarking
    {0xc6336400, 24},  // documentation
    {0xcb007100, 24},  // documentation
    {0xe0000000, 4},   // multicast
    {0xf0000000, 4},   // reserved, broadcast
};

bool is_public4(uint32_t number) {
  return std::none_of(std::begin(not_public4), std::end(not_public4),
                      [&](const Range4& range) { return ((number ^ range.base) >> (32 - range.prefix)) == 0; });
}

bool begins(const IpAddress& address, std::initializer_list<uint8_t> bytes) {
  return std::equal(bytes.begin(), bytes.end(), address.bytes.begin());
}

constexpr std::initializer_list<uint8_t> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::initializer_list<uint8_t> nat64_prefix{0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

bool is_public6(const IpAddress& address) {
  if (begins(address, mapped_prefix) || begins(address, nat64_prefix)) return is_public4(number_at(address, 12));
  // Global unicast is 2000::/3; all the rest is loopback, local, multicast or unassigned (::a.b.c.d among it).
  if ((address.bytes[0] & 0xe0) != 0x20) return false;
  if (begins(address, {0x20, 0x01, 0x00, 0x00})) {  // Teredo: the server, and the client with its bits flipped
    return is_public4(number_at(address, 4)) && is_public4(~number_at(address, 12));
  }
  if (begins(address, {0x20, 0x01}) && address.bytes[2] < 2) return false;  // 2001::/23, protocol assignments
  if (begins(address, {0x20, 0x01, 0x0d, 0xb8})) return false;
  if (begins(address, {0x3f, 0xff}) && address.bytes[2] < 0x10) return false;  // 3fff::/20, documentation
  if (begins(address, {0x20, 0x02})) return is_public4(number_at(address, 2));
  const uint32_t interface = number_at(address, 8);
  const bool isatap = interface == 0x00005efe || interface == 0x02005efe;
  return !isatap || is_public4(number_at(address, 12));
}

// One part of a host such as inet_aton(3) takes: decimal, 0octal or 0xhex.
std::optional<uint64_t> parse_part(std::string_view text) {
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const bool hex = text[1] == 'x' || text[1] == 'X';
    base = hex ? 16 : 8;
    text.remove_prefix(hex ? 2 : 1);
    if (text.empty()) return 0;
  }
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

IpAddress IpAddress::v4(uint32_t number) {
  IpAddress address;
  for (size_t i = 0; i < 4; ++i) address.bytes[i] = static_cast<uint8_t>(number >> (24 - 8 * i));
  return address;
}

std::optional<IpAddress> parse_address(std::string_view text) {
  const std::string copy(text);
  if (copy.size() > 64 || copy.find('\0') != std::string::npos) return std::nullopt;
  IpAddress address;
  if (::inet_pton(AF_INET, copy.c_str(), address.bytes.data()) == 1) return address;
  if (::inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) != 1) return std::nullopt;
  address.family = IpAddress::Family::v6;
  return address;
}

std::optional<IpAddress> parse_host_as_address(std::string_view host) {
  if (auto address = parse_address(host)) return address;
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::vector<std::string> parts = split(host, '.');
  if (host.empty() || parts.size() > 4) return std::nullopt;
  uint64_t number = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto part = parse_part(parts[i]);
    const bool last = i + 1 == parts.size();
    // The last part fills all the bytes that are left.
    const uint64_t limit = last ? uint64_t{1} << (8 * (4 - i)) : 256;
    if (!part || *part >= limit) return std::nullopt;
    number = last ? number << (8 * (4 - i)) | *part : number << 8 | *part;
  }
  return IpAddress::v4(static_cast<uint32_t>(number));
}

std::optional<IpAddress> address_of(const sockaddr& socket_address) {
  IpAddress address;
  if (socket_address.sa_family == AF_INET) {
    std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in&>(socket_address).sin_addr, 4);
    return address;
  }
  if (socket_address.sa_family != AF_INET6) return std::nullopt;
  address.family = IpAddress::Family::v6;
  std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(socket_address).sin6_addr, 16);
  return address;
}

std::string to_text(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN];
  const int family = address.family == IpAddress::Family::v4 ? AF_INET : AF_INET6;
  return ::inet_ntop(family, address.bytes.data(), text, sizeof text);
}

bool is_public(const IpAddress& address) {
  return address.family == IpAddress::Family::v4 ? is_public4(number_at(address, 0)) : is_public6(address);
}

bool Network::holds(const IpAddress& address) const {
  if (address.family == IpAddress::Family::v6 && base.family == IpAddress::Family::v4) {
    return begins(address, mapped_prefix) && holds(IpAddress::v4(number_at(address, 12)));
  }
  if (address.family != base.family) return false;
  for (int bit = 0; bit < prefix; ++bit) {
    const int mask = 0x80 >> bit % 8;
    if ((address.bytes[bit / 8] & mask) != (base.bytes[bit / 8] & mask)) return false;
  }
  return true;
}

std::optional<uint16_t> parse_port(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

std::optional<Network> parse_network(std::string_view text) {
  const size_t slash = text.find('/');
  const auto base = parse_address(text.substr(0, slash));
  if (!base) return std::nullopt;
  const int bits = base->family == IpAddress::Family::v4 ? 32 : 128;
  if (slash == std::string_view::npos) return Network{*base, bits};
  const std::string_view digits = text.substr(slash + 1);
  int prefix = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
  if (error != std::errc() || end != digits.data() + digits.size() || prefix < 0 || prefix > bits) return std::nullopt;
  return Network{*base, prefix};
}

}  // namespace talaria
