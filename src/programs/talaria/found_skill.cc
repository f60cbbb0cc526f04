#include "talaria/found_skill.h"

namespace talaria {
namespace {

FoundSkill read_found(const JsonObject& fields) {
  FoundSkill skill{
      text_or(fields, "name"), text_or(fields, "slug"), text_or(fields, "source"), text_or(fields, "directory"), {}};
  const Json* entries = fields.if_contains("disabled_by");
  if (!entries || !entries->is_array()) return skill;
  for (const Json& entry : entries->get_array()) {
    if (entry.is_string()) skill.disabled_by.emplace_back(entry.get_string());
  }
  return skill;
}

}  // namespace

Result<std::vector<std::optional<FoundSkill>>> find_skills(const std::vector<std::string>& names,
                                                           const SkillsOptions& options) {
  JsonArray asked(names.begin(), names.end());
  const JsonObject answer = TRY(ask_skills("skills/find", {{"names", std::move(asked)}}, options));
  std::vector<std::optional<FoundSkill>> skills(names.size());
  const Json* found = answer.if_contains("found");
  if (!found || !found->is_array()) return skills;
  const JsonArray& list = found->get_array();
  for (size_t index = 0; index < skills.size() && index < list.size(); ++index) {
    if (const JsonObject* fields = list[index].if_object()) skills[index] = read_found(*fields);
  }
  return skills;
}

}  // namespace talaria
