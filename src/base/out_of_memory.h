#pragma once
#include "base/result.h"

namespace talaria {

// So short that the string itself holds it: it can be said when nothing else can.
inline Error out_of_memory() { return {ErrorCode::unavailable, "out of memory"}; }

}  // namespace talaria
