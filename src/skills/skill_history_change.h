#pragma once
#include <optional>
#include <string>

#include "skills/skill_history_hold.h"

namespace talaria {

// A change of one skill's folder: the folder as it is to be is made aside, and then takes the place of the old one in a
// single step, which keeps the old one for the history. A process that is killed anywhere leaves the old state or the
// new one; the next HeldSkills clears up.
class StagedChange {
 public:
  // `directory`: below the folder of skills.
  static Result<StagedChange> begin(const HeldSkills& skills, const std::string& directory);
  StagedChange(StagedChange&& other) noexcept;
  StagedChange& operator=(StagedChange&&) = delete;
  // Without a commit nothing has happened.
  ~StagedChange();

  // What the folder is to become: a copy of it as it is now, a copy of another, or an empty one. Without any of these
  // it is removed.
  Result<UniqueFd> stage_current();
  Result<UniqueFd> stage_copy_of(int folder);
  Result<UniqueFd> stage_new();

  // Takes from `record` the action, who, name, changed, undoes and origin_after, and fills in the rest.
  Result<SkillRecord> commit(SkillRecord record);

 private:
  StagedChange(const HeldSkills& skills, std::string directory) : skills_(&skills), directory_(std::move(directory)) {}
  Result<> describe(SkillRecord& record);
  Result<> put_in_place(const SkillRecord& record);

  const HeldSkills* skills_;
  std::string directory_;
  std::string id_;  // of the folder in staging
  UniqueFd staged_;
};

// Finishes the change in staging/`id` if it has been put in place, and undoes it if not.
Result<> settle_change(const HeldSkills& skills, const std::string& id);

// A path below the folder of skills that a skill's history can be kept for.
Result<> check_skill_directory(const std::string& directory);

}  // namespace talaria
