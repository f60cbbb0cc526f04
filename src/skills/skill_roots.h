#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "skills/catalog_diagnostic.h"
#include "skills/skill.h"

namespace talaria {

// A folder that skills are looked for in.
struct SkillRoot {
  std::string path;
  SkillSource source = SkillSource::home;
  Trust trust = Trust::local;  // of its skills, where nothing else is known of them
  bool operator==(const SkillRoot&) const = default;
};

// Where a session's skills may be. All paths but those of `external_dirs` are absolute; an empty one is none.
struct SkillPlaces {
  std::string talaria_home;
  std::string home;  // the person's
  std::string cwd;
  std::vector<std::string> trusted_projects;
  std::vector<std::string> external_dirs;  // as configured: with ~ and ${VAR}, relative to the Talaria home
  std::string hermes_home;                 // empty: ~/.hermes
  std::string bundled;
  std::function<std::optional<std::string>(const std::string&)> variable;  // of the environment, by its name
};

struct SkillRoots {
  std::vector<SkillRoot> roots;                // highest precedence first; no two are one folder
  std::vector<CatalogDiagnostic> diagnostics;  // what was left out, and why
};

// As the file system is now, and cheap: to be asked for every time.
SkillRoots find_skill_roots(const SkillPlaces& places);

// The nearest folder at or above `cwd` that has a .git, as a real path; empty: none, or it is the home or /.
std::string git_root_of(const std::string& cwd, const std::string& home);

}  // namespace talaria
