#pragma once
#include <optional>
#include <string>
#include <vector>

#include "web/address.h"

namespace talaria {

// The owner's list of places inside the own network that may be asked (web.allow_private_hosts). An entry is `*`, a
// name with or without wildcards (*.example.org), an address or a network (10.0.0.0/8), each also with a :port.
class PrivateHosts {
 public:
  PrivateHosts() = default;
  explicit PrivateHosts(const std::vector<std::string>& entries);

  // Whether `address`, which `host` stands for, may be connected to. A public one always may.
  bool allow(const std::string& host, uint16_t port, const IpAddress& address) const;

  // Entries that are none of the above, in the owner's words.
  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  struct Entry {
    std::string name;                // a pattern, unless it is a network
    std::optional<Network> network;  // of addresses
    std::optional<uint16_t> port;
  };
  static std::optional<Entry> parse(const std::string& text);

  std::vector<Entry> entries_;
  std::vector<std::string> unreadable_;
};

}  // namespace talaria
