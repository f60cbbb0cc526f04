#pragma once
#include <string>

#include "skills/diagnostic.h"

namespace talaria {

// Something to say about a place where skills are looked for, rather than about one skill.
struct CatalogDiagnostic {
  Severity severity = Severity::warning;
  std::string path;
  std::string message;
  bool operator==(const CatalogDiagnostic&) const = default;
};

}  // namespace talaria
