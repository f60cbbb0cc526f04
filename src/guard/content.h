#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "guard/quarantined_item.h"
#include "os/fd.h"

// Trees of files that somebody hostile may change while we look: every step is from an open folder by one name, nothing
// follows a link, and what is looked at is opened first and asked what it is then.
namespace talaria {

struct ContentBounds {
  uint64_t bytes = 64 << 20;
  uint64_t entries = 10'000;
};

// The mode of something below an entry, or with an empty path of the entry itself.
struct KeptMode {
  std::string path;
  mode_t mode = 0;
};

struct ContentFacts {
  QuarantinedItem::Kind kind = QuarantinedItem::Kind::other;
  uint64_t bytes = 0;
  uint64_t entries = 0;
  std::string hash;  // empty unless whole
  bool whole = true;
  // Of what may be executed, takes another's rights or keeps its owner out; folders before what is in them.
  std::vector<KeptMode> modes;
};

enum class Reading {
  only,     // changes nothing
  private_  // opens what its owner may not read, and gives a file that has other names too a copy of its own
};
Result<ContentFacts> look_at_content(int directory, const std::string& name, const ContentBounds& bounds,
                                     Reading reading);

enum class Bits { stripped, whole };
// Takes what `modes` lists its execute, setuid, setgid and sticky bits, or gives it back what it had.
void set_modes(int directory, const std::string& name, const std::vector<KeptMode>& modes, Bits bits);

// With owners, modes and times. Beyond the bounds it stops with E2BIG; what it made by then stays.
Result<> copy_content(int from, const std::string& name, int to, const std::string& new_name,
                      const ContentBounds& bounds);

// Removes it, however deep it is and whatever its modes are. Absent is fine.
Result<> discard_content(int directory, const std::string& name);

// The entry itself, only to ask and to refer to (O_PATH).
Result<UniqueFd> handle_of(int directory, const std::string& name);
struct stat facts_of(const UniqueFd& handle);
int change_mode(const UniqueFd& handle, mode_t mode);  // 0, or -1 and errno
// Opens what a handle refers to for reading. Where the owner may not, `reading` says whether that is changed: for good
// of a folder, and of a file for this moment.
UniqueFd reopen(const UniqueFd& handle, const struct stat& info, Reading reading);
// Sorted; `most` and no more.
std::vector<std::string> names_in(const UniqueFd& folder, uint64_t most);
// A folder by an absolute path without any link in it.
Result<UniqueFd> open_folder(const std::string& path);

}  // namespace talaria
