#pragma once
#include "base/result.h"

namespace talaria {

// In a new network namespace: 127.0.0.1 and ::1 begin to work.
Result<> bring_up_loopback();

}  // namespace talaria
