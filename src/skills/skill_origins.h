#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// Where the skills of $TALARIA_HOME/skills came from, as origins.json in its folder .talaria says:
// {"<folder below skills>": {"trust": "agent-created", …}}. Whoever writes it holds HeldSkills; readers need nothing,
// for it is replaced whole. `state` is the open folder .talaria.

// A file larger than this is not read.
inline constexpr size_t most_origins_bytes = 16 << 20;

// Nothing: a person put it there.
Result<std::optional<JsonObject>> origin_of(int state, const std::string& directory);

// Nothing takes the entry away.
Result<> set_origin(int state, const std::string& directory, const std::optional<JsonObject>& origin);

// Whether a skill of origin `one` may do less than one of origin `other`.
bool lends_less(const std::optional<JsonObject>& one, const std::optional<JsonObject>& other);

// What an agent's change makes of a skill's origin: agent-created. Of what came from the community it stays that, for
// an agent's change must not lend it more trust.
Result<JsonObject> origin_after_change(int state, const std::string& directory, const std::string& who);

}  // namespace talaria
