#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// Where the skills of $TALARIA_HOME/skills came from, as origins.json in its folder .talaria says:
// {"<folder below skills>": {"trust": "agent-created", …}}. Whoever writes it holds HeldSkills; readers need nothing,
// for it is replaced whole. `state` is the open folder .talaria.
//
// An entry with "adopted": true is of a skill that a person has answered for since: it counts as theirs. What else it
// says stays, for when they take that back; with "inherited" it only repeats what a folder above it says.

// A file larger than this is not read.
inline constexpr size_t most_origins_bytes = 16 << 20;

// Nothing: a person put it there.
Result<std::optional<JsonObject>> origin_of(int state, const std::string& directory);

// The same, or that of the nearest folder above it that has one: what is below a folder came with it.
Result<std::optional<JsonObject>> origin_in_effect(int state, const std::string& directory);
// The folders that have an entry.
Result<std::vector<std::string>> folders_of_origins(int state);

bool is_adopted(const JsonObject& origin);

// Nothing takes the entry away.
Result<> set_origin(int state, const std::string& directory, const std::optional<JsonObject>& origin);

// Whether a skill of origin `one` may do less than one of origin `other`.
bool lends_less(const std::optional<JsonObject>& one, const std::optional<JsonObject>& other);

// What an agent's change makes of a skill's origin: agent-created. Of what came from the community it stays that, for
// an agent's change must not lend it more trust.
Result<JsonObject> origin_after_change(int state, const std::string& directory, const std::string& who);

}  // namespace talaria
