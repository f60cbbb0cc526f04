#pragma once
#include <chrono>
#include <cstdint>

namespace talaria {

using namespace std::chrono_literals;

// For durations and deadlines: never jumps.
using Clock = std::chrono::steady_clock;

// For what a person reads and what is stored: milliseconds since 1970.
using EpochMs = int64_t;

inline EpochMs epoch_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace talaria
