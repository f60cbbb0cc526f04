#pragma once
#include <string>

#include "config/settings.h"

namespace talaria {

// Where commands run, as one sentence of a tool's description: "Runs in a sandbox: …". It comes from the configuration
// alone, so every session reads the same, and lists of tools can be cached. `home` is the person's.
std::string where_commands_run(const Settings& settings, const std::string& home);

}  // namespace talaria
