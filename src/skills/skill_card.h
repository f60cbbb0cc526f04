#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skills/diagnostic.h"
#include "skills/front_matter.h"

namespace talaria {

// A variable that a skill's commands need.
struct EnvironmentNeed {
  std::string name;
  std::string prompt;        // what to ask for; never empty
  std::string help;          // where to get it
  std::string required_for;  // what does not work without it
  bool operator==(const EnvironmentNeed&) const = default;
};

// A file below the home that holds a credential, such as an OAuth token.
struct CredentialNeed {
  std::string path;
  std::string description;
  bool operator==(const CredentialNeed&) const = default;
};

// A setting below skills.config in config.yaml.
struct SkillSetting {
  std::string key;  // dotted
  std::string description;
  std::string prompt;                        // falls back to the description
  std::optional<std::string> default_value;  // as text
  bool operator==(const SkillSetting&) const = default;
};

// When a skill is shown: the names of tools and toolsets.
struct SkillConditions {
  std::vector<std::string> requires_tools;
  std::vector<std::string> requires_toolsets;
  std::vector<std::string> fallback_for_tools;
  std::vector<std::string> fallback_for_toolsets;
  bool operator==(const SkillConditions&) const = default;
};

// In characters; the rest of a description is cut off, and a new skill with a longer one refused.
inline constexpr size_t longest_skill_description = 1024;

// All that is known of a skill without its body: what lists, prompts and set-up need.
struct SkillCard {
  std::string name;         // as written, on one line; the folder's where none is
  std::string slug;         // for look-up: lower case, digits, single hyphens, 1 to 64 of them
  std::string description;  // on one line, valid UTF-8
  std::string version;
  std::string author;
  std::string license;
  std::string compatibility;
  std::vector<std::string> platforms;  // lower case; none: all
  std::vector<std::string> tags;
  std::vector<std::string> related_skills;
  std::vector<std::string> allowed_tools;
  SkillConditions conditions;
  std::vector<EnvironmentNeed> environment;
  std::vector<std::string> commands;  // programs it calls
  std::vector<CredentialNeed> credentials;
  std::vector<SkillSetting> settings;
  bool model_invocable = true;               // an agent may find it by itself
  bool user_invocable = true;                // a person may call it by its slash name
  std::vector<SkillDiagnostic> diagnostics;  // of the front matter, and what the fields themselves give rise to
  bool operator==(const SkillCard&) const = default;
};

// `folder` is the name of the skill's directory.
SkillCard read_card(const FrontMatter& matter, std::string_view folder);

// Another slug than its name would give it.
void give_slug(SkillCard& card, const std::string& slug);

// A name for look-up and slash commands; empty when nothing of `name` can be part of one.
std::string slug_of(std::string_view name);

}  // namespace talaria
