#pragma once
#include <string>

#include "json/json.h"

namespace talaria {

// {name, state: ok|warning|error, detail, fix?}
JsonObject check(const std::string& name, const std::string& state, const std::string& detail,
                 const std::string& fix = "");

// What can be looked at without a gateway.
JsonArray local_checks();

}  // namespace talaria
