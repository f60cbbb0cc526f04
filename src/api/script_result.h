#pragma once
#include "api/script.h"

namespace talaria {

// What execute_code answers about a run that is over: what it printed, how it ended, what it called. Writes all of its
// output to a file when the result shows only a part.
ToolResult script_result(Parts& parts, Script& script, const ScriptRun& run, const Result<ByteSource>& output);

// The bytes from `begin` up to `end`: one run's part of the output of an interpreter that was kept.
ByteSource part_of(const ByteSource& whole, uint64_t begin, uint64_t end);

// The program did not run at all.
ToolResult refused_run(const std::string& why);

}  // namespace talaria
