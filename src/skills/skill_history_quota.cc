#include "skills/skill_history_quota.h"

#include <stdio.h>

#include "base/id.h"
#include "os/random.h"
#include "skills/skill_edit_tree.h"

namespace talaria {

std::vector<uint64_t> entries_to_drop(const std::vector<SkillRecord>& records) {
  std::vector<uint64_t> dropped;
  uint64_t bytes = 0;
  size_t kept = 0;
  bool full = false;
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    bytes += record->bytes;
    full = full || (kept > 0 && (kept >= most_history_entries || bytes > most_history_bytes));
    if (full) dropped.push_back(record->number);
    else ++kept;
  }
  return dropped;
}

Result<> drop_old_entries(const HeldSkills& skills, const std::string& directory) {
  const UniqueFd entries = TRY(open_folder_below(skills.history(), history_key(directory)));
  for (const uint64_t number : entries_to_drop(TRY(skills.records(directory)))) {
    // Out of the history first, and whole: half an entry must never be what an undo brings back.
    const std::string id = std::string(dropped_prefix) + id_from(random_u64());
    if (::renameat(entries.get(), entry_name(number).c_str(), skills.staging(), id.c_str()) != 0)
      return Error::from_errno("drop an old entry of the history");
    TRY(remove_below(skills.staging(), id));
  }
  return ok;
}

}  // namespace talaria
