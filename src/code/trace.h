#pragma once
#include <string>

#include "code/run_tally.h"

namespace talaria {

// The calls of a run as a timeline for a reader, a line each, and a line that sums them up:
//   +0.012s  read_file  path=src/a.c  4,096 B  0.2 ms
std::string trace_text(const RunTally& tally);

}  // namespace talaria
