#pragma once
#include <cstdint>

namespace talaria {
uint64_t random_u64();
}  // namespace talaria
