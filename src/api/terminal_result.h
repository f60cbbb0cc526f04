#pragma once
#include <string>
#include <vector>

#include "api/exec_result.h"

namespace talaria {

// {output, exit_code, cwd, duration_seconds, truncated, sandbox, output_file?, timed_out?, error?, note?}: how a
// command of terminal ended. `cwd` is where the next one starts. exit_code is -1 when a signal or we ended it, 124 when
// its time was over.
ToolResult terminal_result(const JobRow& row, const JobDetails& details, const ShownOutput& output,
                           const std::vector<std::string>& notes, const std::string& cwd);

// The same for one that never ran; `result` is what exec says.
ToolResult terminal_failure(ToolResult result);

}  // namespace talaria
