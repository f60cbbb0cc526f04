#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "skills/skill_history.h"

namespace talaria {

// Of a record.json.
inline constexpr size_t most_record_bytes = 1 << 20;

// The folder of skills, to be changed by nobody else while this lives: a lock that all processes take. What a process
// left half done when it was killed is finished or undone before anyone gets it.
//
//   .talaria/lock
//   .talaria/origins.json
//   .talaria/staging/<id>/           a change under way: record.json and folder/
//   .talaria/history/<key>/<number>/ one that is done: record.json, and in folder/ the skill as it was before
class HeldSkills {
 public:
  // Makes what is missing. Gives up when the lock is not free within ten seconds.
  static Result<HeldSkills> open(const std::string& root);

  int root() const { return root_.get(); }
  int state() const { return state_.get(); }
  int staging() const { return staging_.get(); }
  int history() const { return history_.get(); }

  // The changes of one folder, oldest first.
  Result<std::vector<SkillRecord>> records(const std::string& directory) const;
  // The folders that have a history.
  Result<std::vector<std::string>> directories() const;

 private:
  UniqueFd root_;
  UniqueFd state_;
  UniqueFd staging_;
  UniqueFd history_;
  UniqueFd lock_;  // last: free only when all else is closed
};

// How a folder's history is called: its path in one name.
std::string history_key(const std::string& directory);
std::string directory_of_key(const std::string& key);
// "000012"
std::string entry_name(uint64_t number);

}  // namespace talaria
