#include "talaria/job_list.h"

#include <set>

namespace talaria {

const JsonArray& job_rows(const JsonObject& details) {
  static const JsonArray none;
  const Json* rows = details.if_contains("sessions");
  return rows && rows->is_array() ? rows->get_array() : none;
}

Result<JsonObject> list_all_jobs(Gateway& gateway, JsonObject arguments) {
  JsonArray rows;
  std::set<std::string> seen;
  arguments["limit"] = most_listed_jobs;
  for (int64_t offset = 0;;) {
    arguments["offset"] = offset;
    JsonObject result = TRY(call_process(gateway, arguments));
    if (boolean_or(result, "isError")) return result;
    JsonObject details = details_of(result);
    for (const Json& row : job_rows(details)) {
      if (seen.insert(text_or(row.get_object(), "sessionId")).second) rows.push_back(row);
    }
    const int64_t next = integer_or(details, "nextOffset");
    if (next > offset) {
      offset = next;
      continue;
    }
    details["sessions"] = std::move(rows);
    result["details"] = std::move(details);
    return result;
  }
}

}  // namespace talaria
