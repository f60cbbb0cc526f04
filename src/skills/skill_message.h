#pragma once
#include <optional>
#include <string>
#include <vector>

#include "json/json.h"
#include "skills/linked_files.h"
#include "skills/requirements.h"
#include "skills/skill.h"

namespace talaria {

// A skill that has been loaded: all that its texts are made of. Values of variables are not among it.
struct LoadedSkill {
  Skill skill;
  JsonObject fields;         // its front matter
  std::string body;          // with tokens replaced and snippets run
  std::string config_block;  // or empty
  LinkedFiles linked;
  Requirements requirements;
  std::vector<std::string> configured_paths;  // that its settings open to commands, if it may
  bool setup_skipped = false;                 // the person was asked for what is missing, and left it
  std::string setup_hint;                     // how to set it elsewhere, where nobody can be asked
  std::string hidden_because;                 // why lists do not show it; empty: they do
  std::vector<std::string> shadows;           // the SKILL.md of others of its name
  std::vector<SkillDiagnostic> problems;      // of this load, besides those on the card
};

// What skill_view gives as content: the body, [Skill directory: …], and the config block.
std::string loaded_content(const LoadedSkill& loaded);

enum class SkillCall {
  viewed,     // by an agent that asked for it
  invoked,    // by a slash command, or `talaria skills run`
  preloaded,  // with the session
};

// The message that a chat gets for a skill, and for what the person wrote beside it.
std::string skill_message(const LoadedSkill& loaded, SkillCall call, const std::string& instruction = "");

// The answer to skill_view(name).
JsonObject skill_view_json(const LoadedSkill& loaded);

}  // namespace talaria
