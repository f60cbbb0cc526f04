#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace talaria {

// What a sandboxed command may not ask of the kernel, as data: the filter is compiled from these tables, the tests try
// every line of them and the documentation prints them. Whatever is in none of them is allowed.

// A system call that is refused whatever its arguments.
struct RefusedSyscall {
  std::string_view name;
  int number;
  int error;  // the errno it fails with
  std::string_view group;
};
std::span<const RefusedSyscall> refused_syscalls();

// A system call that is refused when (argument & mask) == value. The kernel reads these arguments as 32 bits, so the
// upper half never counts.
struct RefusedArgument {
  std::string_view name;
  int number;
  unsigned argument;  // counted from 0
  uint32_t mask;
  uint32_t value;
  int error;
  std::string_view meaning;  // "CLONE_NEWNS"
  // And only when this bit, too, is set in the argument before it; 0: whatever that is.
  uint32_t with = 0;
};
std::span<const RefusedArgument> refused_arguments();

// A call that passes although most of its kind are refused; compared in 32 bits.
struct AllowedCall {
  uint32_t first;
  std::optional<uint32_t> third = std::nullopt;
  bool operator==(const AllowedCall&) const = default;
};

// A system call of which only some calls pass.
struct RestrictedSyscall {
  std::string_view name;
  int number;
  int error;
  std::vector<AllowedCall> allowed;
};
// socket() is open for `families` only, and netlink among them only for routing.
std::vector<RestrictedSyscall> restricted_syscalls(std::span<const int> families);

// The last system call we have judged. Later ones fail with ENOSYS, as on a kernel that does not have them yet, and so
// do the numbers of x32, which are far above.
inline constexpr int newest_syscall = 469;

}  // namespace talaria
