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

// Whether two names mean one skill: case does not count, and - _ and blanks are the same.
bool same_skill(std::string_view one, std::string_view other);

// Edit skills.disabled; all names or none. Not from inside a job. Whether there are such skills is not looked at.
Result<SwitchOutcome> disable_skills(const Home& home, const std::vector<std::string>& names);
Result<SwitchOutcome> enable_skills(const Home& home, const std::vector<std::string>& names);

}  // namespace talaria
