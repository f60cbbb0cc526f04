#pragma once
#include <string>

#include "json/json.h"

namespace talaria {

// What a model reads of the results of the file tools.
std::string read_text(const JsonObject& result);
std::string write_text(const JsonObject& result);
std::string patch_text(const JsonObject& result);
std::string search_text(const JsonObject& result);

}  // namespace talaria
