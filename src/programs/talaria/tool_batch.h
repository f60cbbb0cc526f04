#pragma once
#include "talaria/gateway.h"

namespace talaria {

// Calls from stdin, a line each: {id, name, arguments, session?}. Several run at once, and each is answered on stdout
// as it ends: {id, result} or {id, error: {message, code}}. Gives 0 when all of them could be asked.
int run_tool_batch(Gateway gateway, const JsonObject& session, bool program);

}  // namespace talaria
