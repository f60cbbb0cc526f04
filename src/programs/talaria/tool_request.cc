#include "talaria/tool_request.h"

#include "talaria/gateway.h"

namespace talaria {

Result<JsonObject> request_tool(const std::string& name, JsonObject arguments,
                                const std::optional<std::string>& session, JsonObject* extras) {
  JsonObject here = TRY(session_here(session));
  const std::string cwd = text_or(here, "cwd");  // the session's own commands may have gone elsewhere
  Gateway gateway = TRY(Gateway::reach());
  const Repeat repeat = repeat_of_tool(name, arguments);
  const JsonObject result = TRY(gateway.call("tools/call",
                                             params_of({{"name", name},
                                                        {"arguments", std::move(arguments)},
                                                        {"session", std::move(here)},
                                                        {"cwd", cwd},
                                                        {"audience", "program"}}),
                                             repeat));
  JsonObject details = details_of(result);
  details.erase("agentSession");
  if (extras) *extras = details;
  if (boolean_or(result, "isError")) return Error(ErrorCode::system, text_or(details, "error"));
  return details;
}

}  // namespace talaria
