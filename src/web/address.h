#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sockaddr;

namespace talaria {

// An IPv4 or IPv6 address, as it would be connected to.
struct IpAddress {
  enum class Family { v4, v6 };
  Family family = Family::v4;
  std::array<uint8_t, 16> bytes{};  // IPv4 uses the first four

  static IpAddress v4(uint32_t number);
  bool operator==(const IpAddress&) const = default;
};

// Dotted decimal or IPv6 (without brackets or a zone), as inet_pton(3) reads them.
std::optional<IpAddress> parse_address(std::string_view text);

// A number from 1 to 65535.
std::optional<uint16_t> parse_port(std::string_view text);

// All that resolvers take for an address when they stand in a URL: also 2130706433, 0177.0.0.1, 0x7f.1 and 127.1, each
// with or without a last dot.
std::optional<IpAddress> parse_host_as_address(std::string_view host);

// IPv4 or IPv6; nothing for another family.
std::optional<IpAddress> address_of(const sockaddr& socket_address);

std::string to_text(const IpAddress& address);

// True where anybody on the internet may be reached. Loopback, private, link-local, shared, multicast, documentation
// and reserved addresses are not, nor what a cloud answers its own machines at, nor an IPv6 address that leads to such
// an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo, ISATAP).
bool is_public(const IpAddress& address);

// "10.0.0.0/8", "fc00::/7", or an address alone, which is a network of one.
struct Network {
  IpAddress base;
  int prefix = 0;

  // An IPv4 address written as an IPv6 one (::ffff:a.b.c.d) is in an IPv4 network too.
  bool holds(const IpAddress& address) const;
  bool operator==(const Network&) const = default;
};
std::optional<Network> parse_network(std::string_view text);

}  // namespace talaria
