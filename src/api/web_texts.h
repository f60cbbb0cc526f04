#pragma once
#include <string>

#include "json/json.h"

namespace talaria {

// What a model reads of the results of the web tools.
std::string extract_text(const JsonObject& result);
std::string search_results_text(const JsonObject& result);

}  // namespace talaria
