#pragma once
#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

namespace talaria {

// A call that the filter must refuse, for tests: made from the tables of syscalls.h with variants of flags and with
// dirt in the halves of arguments the kernel does not read. Would be harmless even if it were let through.
struct SyscallAttempt {
  std::string what;
  int number;
  std::array<uint64_t, 6> arguments;
  int error;
};
std::vector<SyscallAttempt> attempts_to_refuse();

// Makes the call; its errno, or 0.
int attempt(const SyscallAttempt& attempt);

}  // namespace talaria
