#pragma once
#include <cstdint>

#include "base/result.h"
#include "json/json.h"
#include "talaria/gateway.h"

namespace talaria {

// As many as one answer may have.
inline constexpr int64_t most_listed_jobs = 500;

// The jobs in the details of an answer to the action list.
const JsonArray& job_rows(const JsonObject& details);

// Piece by piece, all that match: the answer to the last call, with the rows of all. Jobs that end meanwhile move in
// the list, so one may come again; it is there once.
Result<JsonObject> list_all_jobs(Gateway& gateway, JsonObject arguments);

}  // namespace talaria
