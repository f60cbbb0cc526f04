#include "api/session_details.h"

#include "json/json.h"

namespace talaria {
namespace {

std::optional<std::vector<std::string>> texts_in(const JsonObject& object, std::string_view name) {
  const Json* list = object.if_contains(name);
  if (!list || !list->is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& text : list->get_array()) {
    if (text.is_string()) texts.emplace_back(text.get_string());
  }
  return texts;
}

}  // namespace

SessionDetails details_of(const SessionRow& row) {
  SessionDetails details;
  const Result<JsonObject> object = parse_json_object(row.details_json);
  if (!object) return details;
  details.toolsets = texts_in(*object, "toolsets");
  details.shell_cwd = text_or(*object, "shell_cwd");
  details.exported = texts_in(*object, "exported").value_or(std::vector<std::string>());
  details.granted = texts_in(*object, "granted").value_or(std::vector<std::string>());
  return details;
}

void keep_details(SessionRow& row, const SessionDetails& details) {
  Result<JsonObject> object = parse_json_object(row.details_json);
  JsonObject kept = object ? *std::move(object) : JsonObject();
  for (const char* name : {"toolsets", "shell_cwd", "exported", "granted"}) kept.erase(name);
  if (details.toolsets) kept["toolsets"] = JsonArray(details.toolsets->begin(), details.toolsets->end());
  if (!details.shell_cwd.empty()) kept["shell_cwd"] = details.shell_cwd;
  if (!details.exported.empty()) kept["exported"] = JsonArray(details.exported.begin(), details.exported.end());
  if (!details.granted.empty()) kept["granted"] = JsonArray(details.granted.begin(), details.granted.end());
  row.details_json = write_json(kept);
}

}  // namespace talaria
