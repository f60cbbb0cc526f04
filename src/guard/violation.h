#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// Something a sandboxed command left that a program outside would have run, and what was done about it.
struct Violation {
  enum class Kind {
    quarantined,  // it was taken away; `id` finds it
    rewritten,    // what was dangerous in it was taken out; `id` finds the whole
    put_back,     // what was there before is there again; `id` finds what stood in its place
    kept,         // it is as the repository had it, and stays
    stuck,        // it could not be taken away; `why` says so
  };
  Kind kind = Kind::quarantined;
  std::string path;  // from the workspace
  std::string rule;
  std::string why;
  std::string id;  // of the quarantine
  bool operator==(const Violation&) const = default;
};

// Stands for so many that are not listed.
Violation more_violations(size_t count);

std::string_view name_of(Violation::Kind kind);
JsonArray to_json(const std::vector<Violation>& violations);
std::vector<Violation> violations_from_json(const JsonArray& list);

}  // namespace talaria
