#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "os/home.h"

namespace talaria {

// What became of `skills trust` and `skills untrust`.
struct TrustOutcome {
  std::string project;   // its real path
  bool changed = false;  // false: it was trusted before
  bool operator==(const TrustOutcome&) const = default;
};

// The project that a person means: the git repository around `path` or, without one, around the current directory. A
// given path that is in none counts as it is. Refused: /, and the person's home, which would make every skill anywhere
// below a project's.
Result<std::string> find_project(const std::optional<std::string>& path);

// Adds it to skills.trusted_project_dirs. Not from inside a job.
Result<TrustOutcome> trust_project(const Home& home, const std::optional<std::string>& path);

// Takes it away again, also when its folder is gone. One that is not trusted is an error.
Result<TrustOutcome> untrust_project(const Home& home, const std::optional<std::string>& path);

}  // namespace talaria
