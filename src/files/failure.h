#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// {"error": …, "path": …}; `path` as it was asked for.
JsonObject failure(std::string_view message, std::string_view path);
inline JsonObject failure(const Error& error, std::string_view path) { return failure(error.message(), path); }

// What kept us from a file, to stand behind its name as it was asked for: without the system call, and without the
// `paths` by which the error may call it.
std::string reason_of(const Error& error, std::initializer_list<std::string_view> paths);

// " (looked for in /home/ada/project)" for a relative path, to stand behind what says that it is not there; nothing for
// an absolute one. `path` is the absolute one that was meant by `shown_path`.
std::string where_looked_for(std::string_view shown_path, std::string_view path);

}  // namespace talaria
