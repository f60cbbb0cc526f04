#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/json.h"

namespace talaria {

// One change of a skill below $TALARIA_HOME/skills, as its history keeps it. `number` counts from 1 for each folder.
struct SkillRecord {
  uint64_t number = 0;
  std::string action;  // create, edit, patch, delete, write_file, remove_file or undo
  EpochMs at = 0;
  std::string who;
  std::string name;       // what the skill was called by whoever changed it
  std::string directory;  // below the folder of skills
  std::string changed;    // the file, or empty for the whole
  uint64_t undoes = 0;    // of an undo: the number
  bool existed_before = false;
  bool exists_after = false;
  uint64_t bytes = 0;                            // of what is kept
  std::optional<JsonObject> origin_before = {};  // its entry in origins.json
  std::optional<JsonObject> origin_after = {};
  bool operator==(const SkillRecord&) const = default;
};

JsonObject to_json(const SkillRecord& record);
Result<SkillRecord> read_skill_record(const JsonObject& object);

// The changes of a skill, newest first. `name`: that of its folder, with or without its category before it, or what it
// was called when it was changed. `root` is $TALARIA_HOME/skills.
Result<std::vector<SkillRecord>> skill_history(const std::string& root, const std::string& name);

// Makes the skill what it was before its last change, or before change `number`: the folder whole, and its origin. That
// is a change too, so undoing it once more brings back what was there.
Result<SkillRecord> undo_skill(const std::string& root, const std::string& name, std::optional<uint64_t> number,
                               const std::string& who);

}  // namespace talaria
