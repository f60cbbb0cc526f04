#include "api/session_details.h"

#include "json/json.h"

namespace talaria {
namespace {

std::optional<std::vector<std::string>> kept_texts(const JsonObject& object, std::string_view name) {
  const Json* list = object.if_contains(name);
  if (!list || !list->is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& text : list->get_array()) {
    if (text.is_string()) texts.emplace_back(text.get_string());
  }
  return texts;
}

std::vector<SessionSkill> skills_in(const JsonObject& object) {
  std::vector<SessionSkill> skills;
  const Json* list = object.if_contains("skills");
  if (!list || !list->is_array()) return skills;
  for (const Json& item : list->get_array()) {
    const JsonObject* one = item.if_object();
    if (!one) continue;
    skills.push_back({text_or(*one, "name"), text_or(*one, "directory"),
                      kept_texts(*one, "credentials").value_or(std::vector<std::string>()),
                      kept_texts(*one, "settings").value_or(std::vector<std::string>())});
  }
  return skills;
}

JsonArray texts(const std::vector<std::string>& list) { return JsonArray(list.begin(), list.end()); }

JsonArray to_json(const std::vector<SessionSkill>& skills) {
  JsonArray list;
  for (const SessionSkill& skill : skills) {
    list.push_back(JsonObject{{"name", skill.name},
                              {"directory", skill.directory},
                              {"credentials", texts(skill.credentials)},
                              {"settings", texts(skill.settings)}});
  }
  return list;
}

}  // namespace

SessionDetails details_of(const SessionRow& row) {
  SessionDetails details;
  const Result<JsonObject> object = parse_json_object(row.details_json);
  if (!object) return details;
  details.toolsets = kept_texts(*object, "toolsets");
  details.shell_cwd = text_or(*object, "shell_cwd");
  details.exported = kept_texts(*object, "exported").value_or(std::vector<std::string>());
  details.granted = kept_texts(*object, "granted").value_or(std::vector<std::string>());
  details.skills = skills_in(*object);
  return details;
}

void keep_details(SessionRow& row, const SessionDetails& details) {
  Result<JsonObject> object = parse_json_object(row.details_json);
  JsonObject kept = object ? *std::move(object) : JsonObject();
  for (const char* name : {"toolsets", "shell_cwd", "exported", "granted", "skills"}) kept.erase(name);
  if (details.toolsets) kept["toolsets"] = texts(*details.toolsets);
  if (!details.shell_cwd.empty()) kept["shell_cwd"] = details.shell_cwd;
  if (!details.exported.empty()) kept["exported"] = texts(details.exported);
  if (!details.granted.empty()) kept["granted"] = texts(details.granted);
  if (!details.skills.empty()) kept["skills"] = to_json(details.skills);
  row.details_json = write_json(kept);
}

}  // namespace talaria
