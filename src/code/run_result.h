#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/run_tally.h"
#include "code/script_output.h"
#include "json/json.h"
#include "tools/operation.h"

namespace talaria {

enum class RunStatus { success, error, timeout, interrupted };
std::string_view name_of(RunStatus status);

// All that is known of a run when it is over.
struct RunOutcome {
  RunStatus status = RunStatus::success;
  std::optional<int> exit_code = {};
  std::optional<int> exit_signal = {};
  ScriptOutput printed = {};     // its stdout
  std::string stderr_text = {};  // cleaned and shortened
  double duration_seconds = 0;
  RunTally tally = {};
  double timeout_seconds = 0;
  JsonObject sandbox = {};
  JsonArray violations = {};     // what it left in the workspace
  JsonObject stopped_by = {};    // the limit of the sandbox that ended it; empty: none did
  std::string output_file = {};  // where all of its stdout is, or its beginning; empty: nowhere else
  std::string rest = {};         // how a model gets at what its output leaves out; empty: not at all
  std::string how = {};          // as the process said it: "ok", "exit", "error", "syntax", "interrupted"
  std::string broken = {};       // why we ended it
  std::vector<std::string> notes = {};
  std::string session = {};  // the name it is kept under; empty: none
  bool session_lost = false;
  std::string interpreter = {};
};

// What execute_code answers.
ToolResult run_result(const RunOutcome& outcome);

}  // namespace talaria
