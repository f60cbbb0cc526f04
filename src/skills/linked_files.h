#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

struct LinkedFile {
  std::string path;  // relative to the skill's folder
  uint64_t size = 0;
  bool operator==(const LinkedFile&) const = default;
};

// The files that come with a skill. At most 2,000 of them, not deeper than 16 folders.
struct LinkedFiles {
  std::vector<LinkedFile> files;           // sorted by path
  size_t left_out = 0;                     // more than these, that were counted
  bool complete = true;                    // all were looked at
  std::vector<std::string> leads_outside;  // links that do; at most 20
  std::vector<std::string> skipped;        // folders that were not looked into, such as node_modules; at most 20
  bool operator==(const LinkedFiles&) const = default;
};

// All files below `directory`, of any type, but not `own_file` (its SKILL.md). Links to files inside count as files;
// those to folders inside are not followed, for what is in there is listed where it is.
Result<LinkedFiles> list_linked_files(const std::string& directory, std::string_view own_file = "SKILL.md");

// {"references": [{"path", "size"}, …], "templates", "assets", "scripts", "other"}: by their first folder, groups that
// have some; null without files.
Json linked_files_json(const LinkedFiles& linked);

// What is not in the list, in words; empty when all is.
std::string linked_files_note(const LinkedFiles& linked);

}  // namespace talaria
