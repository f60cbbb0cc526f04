#pragma once
#include <optional>
#include <string>

#include "api/operation.h"
#include "json/fields.h"

namespace talaria {

// Reads of params that several methods share. Errors name the parameter.

// "session": {id?, cwd?, name?}; nullopt when absent or empty.
Result<std::optional<SessionRef>> read_session(Fields& params);
Result<std::string> read_required_text(Fields& params, const std::string& name);
// "arguments"; absent is an empty object.
Result<JsonObject> read_arguments(Fields& params);
// "data": base64; absent is empty.
Result<std::string> read_data(Fields& params);

// {content: [{type, text}], details, isError?}
JsonObject tool_result_json(ToolResult result);

}  // namespace talaria
