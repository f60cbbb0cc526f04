#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"

namespace talaria {

// Which start of the machine this is; empty when the kernel does not say.
const std::string& boot_id();

// Both clocks at one moment.
struct ClockReading {
  int64_t wall_ns = 0;  // since 1970; may be set forward and back at any time
  int64_t boot_ns = 0;  // since the machine was started, time asleep included; nobody can set it
  EpochMs wall_ms() const { return wall_ns / 1'000'000; }
};
ClockReading read_clocks();

// The machine's clocks as a value, so that a test may hand over its own.
struct Clocks {
  std::string boot;
  std::function<ClockReading()> read;
};
Clocks system_clocks();

}  // namespace talaria
