#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "skills/skill_history_hold.h"

namespace talaria {

inline constexpr size_t most_history_entries = 50;
inline constexpr uint64_t most_history_bytes = 64 << 20;

// In staging: an entry of a history on its way out.
inline constexpr std::string_view dropped_prefix = "dropped-";

// The numbers of the records that must go, given all of them, oldest first: only the newest most_history_entries stay,
// and of these as many as fit into most_history_bytes, the newest in any case.
std::vector<uint64_t> entries_to_drop(const std::vector<SkillRecord>& records);

Result<> drop_old_entries(const HeldSkills& skills, const std::string& directory);

}  // namespace talaria
