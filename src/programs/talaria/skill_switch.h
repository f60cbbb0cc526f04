#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/home.h"

namespace talaria {

// What became of `skills enable` and `skills disable`, in the order the names were given.
struct SwitchOutcome {
  std::vector<std::string> changed;
  std::vector<std::string> unchanged;  // they were as wanted before
  bool operator==(const SwitchOutcome&) const = default;
};

// Whether two names mean one skill, by the rule that skills.disabled goes by.
bool same_skill(std::string_view one, std::string_view other);

// Edit skills.disabled; all names or none. Not from inside a job. Whether there are such skills is not looked at.
Result<SwitchOutcome> disable_skills(const Home& home, const std::vector<std::string>& names);
// Where no entry is of that name, one that slugs to the same goes, and the outcome names it.
Result<SwitchOutcome> enable_skills(const Home& home, const std::vector<std::string>& names);

}  // namespace talaria
