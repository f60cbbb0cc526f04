#pragma once
#include <string>
#include <vector>

#include "json/json.h"

namespace talaria {

// What an agent reads about what its command left in the workspace, as few sentences. `violations` are as the keeper
// told them.
std::vector<std::string> violation_notes(const JsonArray& violations);
// The same for the end of a text, from the `violations` of a result's details.
std::string violation_paragraphs(const JsonObject& details);

}  // namespace talaria
