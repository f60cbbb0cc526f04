#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// An entry of a folder as it was at one moment: enough to tell whether it changed, and to put a file or link back.
struct KnownEntry {
  enum class Kind { file, link, folder, other };
  Kind kind = Kind::other;
  std::string content;  // of a file, or where a link leads
  bool whole = true;    // false: too long to be kept, or not to be read
  struct stat status {};
  // Whether every later change shows in the status. It does not when the last one was a moment ago, since the kernel's
  // time stamps are coarse, nor while a process that has the file in its memory may write there.
  bool settled = false;

  bool same_content(const KnownEntry& other) const {
    return kind == other.kind && content == other.content && whole && other.whole;
  }
};

// Whether nothing can have happened to it between the two looks.
bool is_untouched(const KnownEntry& before, const struct stat& now);

// No link is followed, and nothing that may wait (a pipe, a leased file) is waited for. Empty where nothing is.
std::optional<KnownEntry> look_at_entry(int directory, const std::string& name);

// The same of a folder that is open.
KnownEntry look_at_folder(int directory);

// Writes it beside and renames it into its place, over whatever is there. Files and links only.
Result<> put_back(int directory, const std::string& name, const KnownEntry& entry);
// The same with other content.
Result<> write_entry(int directory, const std::string& name, const std::string& content, const struct stat& like);

// A folder below an open one: no link on the way, no other file system. Invalid where there is none.
UniqueFd open_guarded_folder(int root, const std::string& path);

// The same for one that a command may have closed: a program that knows the names in it reads them all the same. Its
// owner may list it from now on, and those above it.
UniqueFd open_closed_folder(int root, const std::string& path);

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  bool leads_elsewhere = false;  // a link, or a pipe: who writes there does not write to a file of this folder
};
// What is in an open folder, at most `most`; without . and ..
std::vector<FolderEntry> entries_of(int directory, size_t most);

}  // namespace talaria
