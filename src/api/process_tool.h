#pragma once
#include <optional>
#include <string>

#include "api/parts.h"
#include "tools/operation.h"

namespace talaria {

// One call of the process tool. `session` is whose jobs the caller may see; absent: all. `reader` is who polls.
OperationPtr start_process_tool(Parts& parts, const JsonObject& arguments, std::optional<std::string> session,
                                std::string reader, Done<ToolResult> done);

}  // namespace talaria
