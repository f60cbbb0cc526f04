#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// One call of a tool in the session of this directory, by a program: its details. Relative paths begin here. An error
// of the tool's is an error, with what it says beside the error in `extras`.
Result<JsonObject> request_tool(const std::string& name, JsonObject arguments,
                                const std::optional<std::string>& session, JsonObject* extras = nullptr);

}  // namespace talaria
