#pragma once
#include <cstdint>
#include <string>

namespace talaria {

// Where a piece of stdin belongs in all that one writer ever wrote to a job. With it a write may be repeated when its
// answer was lost: what was taken before is not taken twice. Other writers do not disturb the count.
struct StdinPosition {
  std::string writer;
  uint64_t at = 0;
};

}  // namespace talaria
