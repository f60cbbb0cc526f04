#pragma once
#include "base/result.h"

namespace talaria {

// Opens /dev/null on whichever of stdin, stdout and stderr is closed. The first thing a program does: the next thing it
// opened would get that number, and what is meant for stdout would go into a socket or a file of ours.
Result<> reserve_standard_streams();

}  // namespace talaria
