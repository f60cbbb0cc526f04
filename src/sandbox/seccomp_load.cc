// Apart from seccomp.cc: who only loads a filter does not need the library that compiles one.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "sandbox/seccomp.h"

namespace talaria {

int load_filter(std::span<const uint8_t> filter) {
  const size_t count = filter.size() / sizeof(sock_filter);
  if (filter.size() % sizeof(sock_filter) != 0 || count > BPF_MAXINSNS) return EINVAL;
  // The kernel only reads it, at any alignment.
  auto* instructions = reinterpret_cast<sock_filter*>(const_cast<uint8_t*>(filter.data()));
  const sock_fprog program{static_cast<unsigned short>(count), instructions};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

}  // namespace talaria
