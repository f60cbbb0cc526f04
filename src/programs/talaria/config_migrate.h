#pragma once
#include "base/result.h"
#include "os/home.h"

namespace talaria {

// Lists the settings of skills that have no value, and at a terminal asks for them. Gives the exit code.
Result<int> migrate_config(const Home& home, bool json);

}  // namespace talaria
