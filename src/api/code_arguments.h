#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "json/json.h"
#include "tools/tool.h"

namespace talaria {

// What a caller of execute_code wants.
struct CodeArguments {
  std::string code;
  std::string session;  // the name of an interpreter that is kept; empty: a fresh one
  bool reset = false;
  std::optional<double> timeout_seconds;
  std::optional<int64_t> max_tool_calls;
  std::string mode;  // empty: as configured
  std::optional<std::vector<std::string>> tools;
  std::optional<int64_t> yield_ms;  // 0: never
  bool trace = false;
  bool operator==(const CodeArguments&) const = default;
};
Result<CodeArguments> parse_code_arguments(const JsonObject& object, const ToolSpec& spec);

// What a program may take: what was asked for, but no more than is configured.
struct CodeLimits {
  double timeout_seconds = 0;
  int64_t max_tool_calls = 0;
  std::vector<std::string> notes;  // what was asked for and is not given
  bool operator==(const CodeLimits&) const = default;
};
CodeLimits code_limits(const CodeArguments& arguments, const CodeSettings& settings);

// The tools a program may call at all.
const std::vector<std::string>& script_tools();
// Those of them that the session has and the call did not leave out. None: an error that says why.
Result<std::vector<std::string>> tools_for(const CodeArguments& arguments, const std::vector<const Tool*>& usable);

}  // namespace talaria
