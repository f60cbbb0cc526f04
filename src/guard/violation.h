#pragma once
#include <initializer_list>
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
// How many a violation stands for that are not listed; 0 for an ordinary one.
size_t unlisted_by(const Violation& violation);

// Adds to a list that stays short: what does not fit any more is counted by its last entry.
void add_violations(std::vector<Violation>& all, const std::vector<Violation>& more);

// A path and all that was told of it, so that a sentence names it once.
struct ToldPath {
  std::string path;
  std::vector<std::string> whys;  // each once, in the order they came
  size_t times = 0;
  bool operator==(const ToldPath&) const = default;
};
struct ToldPaths {
  std::vector<ToldPath> paths;  // in the order they came
  size_t unlisted = 0;          // violations whose paths are not known here
  bool operator==(const ToldPaths&) const = default;
};
// Of the violations of these kinds.
ToldPaths told_paths(const std::vector<Violation>& violations, std::initializer_list<Violation::Kind> kinds);

std::string_view name_of(Violation::Kind kind);
JsonArray to_json(const std::vector<Violation>& violations);
std::vector<Violation> violations_from_json(const JsonArray& list);

}  // namespace talaria
