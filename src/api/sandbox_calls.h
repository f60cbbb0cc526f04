#pragma once
#include "api/parts.h"
#include "api/sandbox_wish.h"
#include "tools/operation.h"

namespace talaria {

// {capabilities: [{name, ok, detail, fix?}], profiles: [{name, holds, reason}], identity, limits}.
OperationPtr start_sandbox_probe(Parts& parts, Done<JsonObject> done);

// What a session's sandbox shows, writes and reaches, without making it.
OperationPtr start_sandbox_explain(Parts& parts, SessionRow session, SandboxWish wish, Done<JsonObject> done);

// All that doctor looks at.
OperationPtr start_doctor(Parts& parts, Done<JsonArray> done);

}  // namespace talaria
