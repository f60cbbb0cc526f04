#pragma once
#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// {"error": …, "path": …}; `path` as it was asked for.
JsonObject failure(std::string_view message, std::string_view path);
inline JsonObject failure(const Error& error, std::string_view path) { return failure(error.message(), path); }

}  // namespace talaria
