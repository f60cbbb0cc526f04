#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "os/fd.h"

namespace talaria {

// How often connections and packets of a network namespace had no route, as its kernel counts them. Where the network
// is off that is what becomes of every try to reach another machine.
class RefusedRoutes {
 public:
  RefusedRoutes() = default;
  // What open_counters() opened, in whichever process.
  explicit RefusedRoutes(std::vector<UniqueFd> counters) : counters_(std::move(counters)) {}

  // Of the calling process's network namespace, whoever reads them later.
  static std::vector<UniqueFd> open_counters();

  // So far. What cannot be read counts as nothing.
  uint64_t count() const;
  bool known() const { return !counters_.empty(); }

 private:
  std::vector<UniqueFd> counters_;
};

// The number in the text of /proc/net/snmp (IPv4) or /proc/net/snmp6.
uint64_t refused_routes_in(std::string_view text);

}  // namespace talaria
