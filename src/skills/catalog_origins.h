#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "skills/catalog_diagnostic.h"
#include "skills/skill_walk.h"

namespace talaria {

// Where the skills of $TALARIA_HOME/skills came from, as .talaria/origins.json in that folder says:
// {"<folder below it>": {"trust": "agent-created" | "community" | "trusted" | "official", "adopted"?: true, …}, …}.
struct SkillOrigins {
  Sighting seen;
  std::map<std::string, Trust, std::less<>> by_folder;
  std::string problem;                         // why it could not be read; then nothing is known, and nothing trusted
  std::vector<CatalogDiagnostic> diagnostics;  // the problem too

  // Of the skill in `folder`. What is below a folder came with it. Unknown: the person put it there.
  Trust trust_of(std::string_view folder) const;
};

inline constexpr const char* origins_file = ".talaria/origins.json";

// `path` is that of the file, for messages.
SkillOrigins parse_origins(std::string_view text, const std::string& path);
// From the folder of the skills.
SkillOrigins read_origins(int directory, const std::string& root);

// The one that allows less.
Trust lesser(Trust one, Trust other);

}  // namespace talaria
