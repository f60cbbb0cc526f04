#pragma once
#include <string>
#include <vector>

#include "json/json.h"
#include "skills/diagnostic.h"
#include "skills/front_matter.h"
#include "skills/skill_card.h"

namespace talaria {

// The names that a skill's conditions can mean here; where there are none, conditions are not compared with them.
struct KnownTools {
  std::vector<std::string> tools;
  std::vector<std::string> toolsets;
};

// What there is to say about one SKILL.md to the one who wrote it.
struct SkillReport {
  std::string path;  // of the file
  bool loads = false;
  FrontMatter matter;
  SkillCard card;
  std::vector<SkillDiagnostic>
      diagnostics;  // all of them, by line: reading, fields, and how it compares with the formats
};

// `path` is a file, the folder of a skill, or a folder with skills below it, found and read as the catalog does. There
// is always at least one report: of what cannot be found or read too.
std::vector<SkillReport> check_skills(const std::string& path, const KnownTools& known = {});

// The same of a folder that may hold none: no reports then.
std::vector<SkillReport> check_skill_root(const std::string& folder, const KnownTools& known = {});

// {path, front_matter, name, description, version, tags, requires_tools, …, platforms, body, loads, diagnostics}.
JsonObject to_json(const SkillReport& report);

}  // namespace talaria
