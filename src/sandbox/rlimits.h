#pragma once
#include <cstdint>

namespace talaria {

// What one command may use, by setrlimit(2); `as_it_is` leaves a limit alone. Plain data, to be copied as bytes.
struct ResourceLimits {
  static constexpr uint64_t as_it_is = UINT64_MAX;

  uint64_t core = 0;           // bytes of a core dump
  uint64_t processes = 512;    // and threads of this user id in the sandbox, before 5.14 anywhere; real root has none
  uint64_t data = 4ULL << 30;  // bytes of private memory in one process
  uint64_t file_size = 1ULL << 30;      // bytes of any file it writes
  uint64_t open_files = 65536;          // in one process; it begins with `open_files_at_first` and may raise itself;
                                        // in any case well below what who starts it may have
  uint64_t open_files_at_first = 1024;  // what programs that use select(2) can bear
  uint64_t locked_memory = 64ULL << 10;
  uint64_t message_queues = 0;  // bytes in POSIX message queues
  uint64_t pending_signals = 1024;

  bool operator==(const ResourceLimits&) const = default;
};

// Sets them for the calling process, soft and hard, for good; where a limit is tighter already it stays. 0 or an errno.
// System calls only, so it may stand between fork and exec.
int apply_limits(const ResourceLimits& limits);

}  // namespace talaria
