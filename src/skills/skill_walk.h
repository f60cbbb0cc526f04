#pragma once
// How a folder is read in search of skills.
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "skills/skill.h"

namespace talaria {

// Skills are looked for in folders that are at most so far below their root.
inline constexpr size_t deepest_skill_folder = 6;

FileStamp file_stamp(const struct stat& info);

// What was seen of a file or folder. Settled: any change from then on gives it another stamp.
struct Sighting {
  FileStamp stamp;
  int failure = 0;  // an errno: it could not even be looked at
  bool settled = false;
  bool operator==(const Sighting&) const = default;
};

// Nanoseconds since 1970, as files are stamped.
int64_t wall_clock_ns();
// File systems stamp by the tick of a clock, some by the second: what changed just before it was looked at may change
// again and keep its stamp.
bool is_settled(const FileStamp& stamp, int64_t looked_at_ns);

// Follows links. `path` is relative to `directory`, which may be AT_FDCWD.
Sighting see(int directory, const char* path);
// It is what it was, for certain.
bool is_same(const Sighting& before, int directory, const char* path);

// A link, which may come to lead elsewhere without any change to the folder that it is in.
struct FolderLink {
  enum class Target { nothing, file, folder };
  std::string name;
  Target target = Target::nothing;
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FolderLink&) const = default;
};

FolderLink see_link(int directory, const std::string& path, std::string_view name);

// An entry that its author may take for a skill's file, and that is not read as one.
struct PassedOver {
  std::string name;
  std::string why;
};

// What matters of a folder's entries, sorted by name.
struct SkillListing {
  std::vector<std::string> folders;  // real ones that may hold skills
  std::vector<FolderLink> links;     // all but those to folders that hold none
  std::string skill_file;            // SKILL.md, else skill.md; empty: none
  bool described = false;            // has a DESCRIPTION.md
  std::vector<PassedOver> passed_over;
};

// Of an open directory.
Result<SkillListing> list_skill_folder(int directory);

// Never entered: what tools leave behind, and state that is not skills.
bool holds_no_skills(std::string_view folder);
// Part of the skill whose folder it is directly in: references, templates, assets, scripts.
bool belongs_to_a_skill(std::string_view folder);

// Orders paths as a walk meets them: a folder before what follows its name with other characters.
bool comes_before(std::string_view path, std::string_view other);

}  // namespace talaria
