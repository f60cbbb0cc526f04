#include "os/boot_clock.h"

#include <time.h>

#include "base/text.h"
#include "os/file.h"

namespace talaria {
namespace {

int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::string read_boot_id() {
  Result<std::string> text = read_file("/proc/sys/kernel/random/boot_id");
  return text ? std::string(trim(*text)) : std::string();
}

}  // namespace

const std::string& boot_id() {
  static const std::string id = read_boot_id();
  return id;
}

ClockReading read_clocks() { return {nanoseconds_of(CLOCK_REALTIME), nanoseconds_of(CLOCK_BOOTTIME)}; }

Clocks system_clocks() { return {boot_id(), read_clocks}; }

}  // namespace talaria
