#include "os/random.h"

#include <sys/random.h>

#include "base/check.h"

namespace talaria {

uint64_t random_u64() {
  uint64_t value = 0;
  CHECK(::getrandom(&value, sizeof value, 0) == static_cast<ssize_t>(sizeof value));
  return value;
}

}  // namespace talaria
