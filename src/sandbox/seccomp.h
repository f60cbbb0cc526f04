#pragma once
#include <sys/socket.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace talaria {

struct FilterOptions {
  // The families socket() is open for. The network being on or off is a matter of namespaces and changes nothing here.
  std::vector<int> families = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
  bool set_group_id = false;  // whether a mode may have that bit
  bool openat2 = false;       // whether it exists; a filter cannot see the modes it is called with
  bool operator==(const FilterOptions&) const = default;
};

// The filter of the tables in syscalls.h as bytes, to be compiled once and handed to every child. Calls of a foreign
// architecture kill the process: a 32-bit program would otherwise stumble on without its system calls.
Result<std::vector<uint8_t>> compile_filter(const FilterOptions& options);

// Puts the calling thread and all it starts under the filter, for good; 0 or an errno. no_new_privs must be set. One
// system call, so it may stand between fork and exec.
int load_filter(std::span<const uint8_t> filter);

}  // namespace talaria
