#pragma once
#include "api/parts.h"
#include "json/json.h"

namespace talaria {

// [{name, state: "ok" | "warning" | "error", detail, fix?}]: what works here and what does not.
JsonArray examine(Parts& parts);

}  // namespace talaria
