#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

enum class Severity {
  note,     // worth knowing: a name that differs from its folder
  warning,  // something was repaired, replaced or left out
  error,    // the skill cannot be loaded
};
std::string_view name_of(Severity severity);

// Something to say about one skill. It never touches another.
struct SkillDiagnostic {
  Severity severity = Severity::warning;
  size_t line = 0;  // in the file, from 1; 0: about the whole
  std::string message;
  bool operator==(const SkillDiagnostic&) const = default;
};

}  // namespace talaria
