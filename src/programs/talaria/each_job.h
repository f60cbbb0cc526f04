#pragma once
#include <string>
#include <vector>

#include "json/json.h"

namespace talaria {

// The same process action on several jobs, one after the other; one that fails does not stop the rest. Gives 0, or 1
// when any failed.
int process_each(const std::vector<std::string>& ids, const JsonObject& arguments, bool json);

}  // namespace talaria
