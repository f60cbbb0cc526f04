#include <algorithm>
#include <array>

#include "skills/skill_body_text.h"
#include "skills/skill_message.h"

namespace talaria {
namespace {

// Keys of the front matter that the card, and so the answer, has under a name of its own.
constexpr std::array<std::string_view, 17> known_keys = {"name",
                                                         "description",
                                                         "version",
                                                         "author",
                                                         "license",
                                                         "platforms",
                                                         "compatibility",
                                                         "tags",
                                                         "allowed-tools",
                                                         "prerequisites",
                                                         "metadata",
                                                         "setup",
                                                         "related_skills",
                                                         "required_environment_variables",
                                                         "required_credential_files",
                                                         "disable-model-invocation",
                                                         "user-invocable"};

JsonArray texts(const std::vector<std::string>& list) {
  JsonArray array;
  for (const std::string& text : list) array.emplace_back(path_text(text));
  return array;
}

template <class Need>
JsonArray values_of(const std::vector<Need>& needs, std::string Need::*member) {
  JsonArray array;
  for (const Need& need : needs) array.emplace_back(need.*member);
  return array;
}

JsonArray environment_json(const std::vector<EnvironmentNeed>& needs) {
  JsonArray array;
  for (const EnvironmentNeed& need : needs) {
    JsonObject entry{{"name", need.name}, {"prompt", need.prompt}};
    if (!need.help.empty()) entry["help"] = need.help;
    if (!need.required_for.empty()) entry["required_for"] = need.required_for;
    array.push_back(std::move(entry));
  }
  return array;
}

// Without those that no skill is given.
JsonArray credentials_json(const SkillCard& card, const CredentialState& state) {
  JsonArray array;
  for (const CredentialNeed& need : card.credentials) {
    const auto is_it = [&](const RefusedCredential& refused) { return refused.path == need.path; };
    if (std::ranges::none_of(state.refused, is_it)) array.emplace_back(need.path);
  }
  return array;
}

// Category, folder and file: how the skill lies below its root.
std::string path_below_root(const Skill& skill) {
  const auto last_of = [](const std::string& path) { return path.substr(path.find_last_of('/') + 1); };
  const std::string own = last_of(skill.directory) + "/" + last_of(skill.file);
  return path_text(skill.category.empty() ? own : skill.category + "/" + own);
}

void add_basics(JsonObject& answer, const LoadedSkill& loaded) {
  const SkillCard& card = loaded.skill.card;
  answer["success"] = true;
  answer["name"] = card.name;
  answer["description"] = card.description;
  answer["tags"] = texts(card.tags);
  answer["related_skills"] = texts(card.related_skills);
  answer["content"] = loaded_content(loaded);
  answer["path"] = path_below_root(loaded.skill);
  answer["skill_dir"] = path_text(loaded.skill.directory);
  answer["linked_files"] = linked_files_json(loaded.linked);
  if (const std::string note = linked_files_note(loaded.linked); !note.empty()) answer["linked_files_note"] = note;
  answer["usage_hint"] = nullptr;
  if (!loaded.linked.files.empty())
    answer["usage_hint"] = "To read a linked file, call skill_view with name \"" + card.slug +
                           "\" and its path as file_path, for example \"" + path_text(loaded.linked.files[0].path) +
                           "\". Scripts can be run from skill_dir.";
}

void add_requirements(JsonObject& answer, const LoadedSkill& loaded) {
  const SkillCard& card = loaded.skill.card;
  const Requirements& needs = loaded.requirements;
  JsonArray missing_files = values_of(needs.credentials.missing, &CredentialNeed::path);
  JsonArray refused;
  for (const RefusedCredential& file : needs.credentials.refused) {
    missing_files.emplace_back(file.path);
    refused.push_back(JsonObject{{"path", file.path}, {"reason", file.reason}});
  }
  answer["required_environment_variables"] = environment_json(card.environment);
  answer["required_commands"] = texts(card.commands);
  if (!card.credentials.empty()) answer["required_credential_files"] = credentials_json(card, needs.credentials);
  if (!loaded.configured_paths.empty()) answer["configured_paths"] = texts(loaded.configured_paths);
  answer["missing_required_environment_variables"] = values_of(needs.environment.missing, &EnvironmentNeed::name);
  answer["missing_credential_files"] = std::move(missing_files);
  answer["missing_required_commands"] = texts(needs.missing_commands);
  answer["setup_needed"] = needs.setup_needed();
  answer["setup_skipped"] = loaded.setup_skipped;
  answer["readiness_status"] = needs.setup_needed() ? "setup_needed" : "available";
  if (const std::string note = setup_note(needs); !note.empty()) answer["setup_note"] = note;
  if (!loaded.setup_hint.empty()) answer["gateway_setup_hint"] = loaded.setup_hint;
  if (!refused.empty()) answer["refused_credential_files"] = std::move(refused);
}

void add_facts(JsonObject& answer, const LoadedSkill& loaded) {
  const SkillCard& card = loaded.skill.card;
  answer["source"] = name_of(loaded.skill.source);
  answer["trust"] = name_of(loaded.skill.trust);
  if (!loaded.hidden_because.empty()) answer["hidden_because"] = loaded.hidden_because;
  if (!loaded.shadows.empty()) answer["shadows"] = texts(loaded.shadows);
  if (!card.version.empty()) answer["version"] = card.version;
  if (!card.author.empty()) answer["author"] = card.author;
  if (!card.license.empty()) answer["license"] = card.license;
  if (!card.platforms.empty()) answer["platforms"] = texts(card.platforms);
  if (!card.allowed_tools.empty()) answer["allowed_tools"] = texts(card.allowed_tools);
  if (!card.compatibility.empty()) answer["compatibility"] = card.compatibility;
  if (const Json* metadata = loaded.fields.if_contains("metadata")) answer["metadata"] = *metadata;
  JsonObject extra;
  for (const auto& field : loaded.fields) {
    if (std::find(known_keys.begin(), known_keys.end(), std::string_view(field.key())) == known_keys.end())
      extra[field.key()] = field.value();
  }
  if (!extra.empty()) answer["extra"] = std::move(extra);
}

void add_diagnostics(JsonObject& answer, const LoadedSkill& loaded) {
  JsonArray diagnostics;
  for (const auto* list : {&loaded.skill.card.diagnostics, &loaded.problems}) {
    for (const SkillDiagnostic& one : *list)
      diagnostics.push_back(
          JsonObject{{"severity", name_of(one.severity)}, {"line", one.line}, {"message", one.message}});
  }
  if (!diagnostics.empty()) answer["diagnostics"] = std::move(diagnostics);
}

}  // namespace

JsonObject skill_view_json(const LoadedSkill& loaded) {
  JsonObject answer;
  add_basics(answer, loaded);
  add_requirements(answer, loaded);
  add_facts(answer, loaded);
  add_diagnostics(answer, loaded);
  return answer;
}

}  // namespace talaria
