#pragma once
#include <cstdint>

namespace talaria {

// How many descriptors the calling process may have open.
uint64_t open_files_limit();

// The calling process may have as many descriptors, open and on their way through sockets, as it can allow itself.
// Returns how many it could have before the first call: what it starts for others is to get no more.
uint64_t raise_open_files();

// While it lives, the process opens nothing that would take one of the last `count` descriptors: they are for what must
// not fail. The kernel keeps them. For a process with one thread.
class DescriptorReserve {
 public:
  explicit DescriptorReserve(uint64_t count);
  DescriptorReserve(const DescriptorReserve&) = delete;
  DescriptorReserve& operator=(const DescriptorReserve&) = delete;
  ~DescriptorReserve();

 private:
  uint64_t limit_;
};

}  // namespace talaria
