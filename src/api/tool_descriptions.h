#pragma once
#include "json/json.h"

namespace talaria {

// The tools as clients see them: name, description, inputSchema, annotations.
JsonObject exec_description();
JsonObject process_description();

}  // namespace talaria
