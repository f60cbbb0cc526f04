#pragma once
#include "base/result.h"
#include "os/fd.h"
#include "os/home.h"

namespace talaria {

// A connection to this home's keeper, started when none is there.
Result<UniqueFd> connect_to_keeper(const Home& home);

// The life of the program talaria-keeper; returns its exit code.
int run_keeper();

}  // namespace talaria
