#pragma once
#include "json/json.h"

namespace talaria {

// Our environment, for a request; the gateway takes of it what the rules let through.
JsonObject own_variables();

}  // namespace talaria
