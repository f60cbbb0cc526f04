// try_syscalls 64|x32: makes every call that must be refused. A line for each that was not refused as it should be, and
// one with the number of attempts at the end.
// try_syscalls 32 NUMBER: one call by the 32-bit entry, int 0x80.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "report.h"
#include "sandbox/syscalls_attempts.h"

namespace {

int try_all(int bits, bool always_unknown) {
  int count = 0;
  for (talaria::SyscallAttempt attempt : talaria::attempts_to_refuse()) {
    attempt.number |= bits;
    const int expected = always_unknown ? ENOSYS : attempt.error;
    errno = talaria::attempt(attempt);
    if (errno != expected) report(attempt.what.c_str(), errno ? -1 : 0);
    ++count;
  }
  std::printf("%d attempts\n", count);
  return 0;
}

#ifdef __x86_64__
int try_interrupt_80(int number) {
  long result = number;
  asm volatile("int $0x80" : "+a"(result) : "b"(-1L), "c"(-1L), "d"(-1L) : "memory", "r8", "r9", "r10", "r11");
  errno = static_cast<int>(-result);
  report("int 0x80", result < 0 ? -1 : 0);
  return 0;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const std::string form = argc > 1 ? argv[1] : "";
  if (form == "64") return try_all(0, false);
  if (form == "x32") return try_all(0x40000000, true);
#ifdef __x86_64__
  if (form == "32" && argc > 2) return try_interrupt_80(std::atoi(argv[2]));
#endif
  std::fprintf(stderr, "usage: try_syscalls 64|x32, or try_syscalls 32 NUMBER\n");
  return 2;
}
