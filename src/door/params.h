#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/sandbox_wish.h"
#include "api/skill_question.h"
#include "json/fields.h"
#include "tools/operation.h"

namespace talaria {

// Reads of params that several methods share. Errors name the parameter.

// "session": {id?, cwd?, name?}; nullopt when absent or empty.
Result<std::optional<SessionRef>> read_session(Fields& params);
// "profile" and "network"; absent is empty.
Result<SandboxWish> read_wish(Fields& params);
// The same inside "sandbox"; nullopt when that is absent or empty.
Result<std::optional<SandboxWish>> read_sandbox(Fields& params);
Result<std::string> read_required_text(Fields& params, const std::string& name);
// "arguments"; absent is an empty object.
Result<JsonObject> read_arguments(Fields& params);
// "environment": {NAME: value}; null when absent.
Result<std::shared_ptr<const std::map<std::string, std::string>>> read_environment(Fields& params);
// What a question about skills takes beside "session", "cwd" and "environment".
Result<SkillQuestion> read_skill_question(SkillQuestion::About about, Fields& params);
// "cwd": absolute; absent is empty.
Result<std::string> read_cwd(Fields& params);
// "data": base64; absent is empty.
Result<std::string> read_data(Fields& params);

// {content: [{type, text}], details, isError?}
JsonObject tool_result_json(ToolResult result);

}  // namespace talaria
