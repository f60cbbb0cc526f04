#pragma once
#include <memory>
#include <string>
#include <vector>

#include "skills/catalog_diagnostic.h"
#include "skills/catalog_origins.h"
#include "skills/skill.h"
#include "skills/skill_roots.h"
#include "skills/skill_walk.h"

namespace talaria {

// A folder below a root as it was when it was looked at, with the skill it holds. Never changed once it is shared.
struct CatalogFolder {
  std::string path;     // below the root; empty: the root itself
  bool linked = false;  // a link leads to it
  Sighting seen;
  std::vector<std::string> folders;     // to go on with
  std::vector<FolderLink> links;        // to go on with, or to watch
  std::vector<std::string> real_paths;  // below the root, of what links lead to on the way to its skill

  std::string skill_file;  // empty: it is no skill
  Sighting skill_seen;
  std::shared_ptr<const Skill> skill;  // null: none, or its file cannot be read

  bool described = false;  // has a DESCRIPTION.md that may say what the category is
  Sighting description_seen;
  std::string blurb;

  std::vector<CatalogDiagnostic> diagnostics;
};

// A root that is being looked at.
struct OpenRoot {
  const SkillRoot& root;
  int directory = -1;
  std::string real_path;  // without links
  const SkillOrigins& origins;
};

// A DESCRIPTION.md larger than this is read only at its head. A SKILL.md larger than most_skill_bytes is not read at
// all: it could not be loaded either.
inline constexpr size_t description_head_bytes = 256 << 10;

enum class Reached { directly, by_link };

// Whatever is wrong with the folder or its files is in the diagnostics.
std::shared_ptr<CatalogFolder> look_at_folder(const OpenRoot& root, std::string path, Reached reached);

// All that was seen is still so: the folder, its links and its files.
bool is_unchanged(const CatalogFolder& folder, int root_directory);

// What the folder's skill may do, wherever links lead on the way to it.
Trust trust_of(const CatalogFolder& folder, const SkillRoot& root, const SkillOrigins& origins);

// Whether its skill may really be elsewhere: a link is on the way from the root, or the root itself may be one.
bool leads_elsewhere(const CatalogFolder& folder);

// "a/b" for "a" and "b", "b" for "" and "b".
std::string path_below(const std::string& folder, const std::string& name);
// The part before the last slash; empty without one.
std::string category_of(const std::string& path);

}  // namespace talaria
