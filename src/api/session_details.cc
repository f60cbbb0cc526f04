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

std::vector<std::string> kept_list(const JsonObject& object, std::string_view name) {
  return kept_texts(object, name).value_or(std::vector<std::string>());
}

Environment variables_in(const JsonObject& object, std::string_view name) {
  Environment variables;
  const Json* kept = object.if_contains(name);
  if (!kept || !kept->is_object()) return variables;
  for (const auto& [variable, value] : kept->get_object()) {
    if (value.is_string()) variables.emplace(variable, value.get_string());
  }
  return variables;
}

std::vector<SessionSkill> skills_in(const JsonObject& object) {
  std::vector<SessionSkill> skills;
  const Json* list = object.if_contains("skills");
  if (!list || !list->is_array()) return skills;
  for (const Json& item : list->get_array()) {
    const JsonObject* one = item.if_object();
    if (!one) continue;
    skills.push_back({text_or(*one, "name"), text_or(*one, "directory"), text_or(*one, "file"),
                      kept_list(*one, "variables"), kept_list(*one, "credentials"), kept_list(*one, "settings"),
                      text_or(*one, "looked_from"), variables_in(*one, "looked_with")});
  }
  return skills;
}

JsonArray texts(const std::vector<std::string>& list) { return JsonArray(list.begin(), list.end()); }

JsonArray to_json(const std::vector<SessionSkill>& skills) {
  JsonArray list;
  for (const SessionSkill& skill : skills) {
    JsonObject looked_with;
    for (const auto& [name, value] : skill.looked_with) looked_with[name] = value;
    list.push_back(JsonObject{{"name", skill.name},
                              {"directory", skill.directory},
                              {"file", skill.file},
                              {"variables", texts(skill.variables)},
                              {"credentials", texts(skill.credentials)},
                              {"settings", texts(skill.settings)},
                              {"looked_from", skill.looked_from},
                              {"looked_with", std::move(looked_with)}});
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
  details.exported = kept_list(*object, "exported");
  details.granted = kept_list(*object, "granted");
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
