#pragma once
// What the gateway says about sandboxes, as rows for a person.
#include <string>
#include <vector>

#include "json/json.h"

namespace talaria {

// A terminal has room below a cell and shows a name once; a pipe wants every row whole.
enum class Medium { terminal, pipe };

// Of sandbox/explain: a name and one value. In a pipe each row carries its name.
std::vector<std::vector<std::string>> explain_rows(const JsonObject& explained, Medium medium);

// Of sandbox/probe: name, yes or no, detail, and in a pipe the fix; on a terminal that is a row of its own.
std::vector<std::vector<std::string>> probe_rows(const JsonObject& probed, Medium medium);

}  // namespace talaria
