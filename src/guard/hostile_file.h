#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// Looking at files that somebody hostile may change at the same moment: below an open directory, never through a
// symbolic link, never waiting for a pipe or a lease, never more than a cap.

enum class EntryKind { absent, file, folder, link, other };

// What is there now. A link on the way to it counts as a link, what cannot be looked at as other.
EntryKind kind_below(int directory, const std::string& path);

// Opens what lies below; it closes on exec and does not wait. Empty when it cannot, and errno says why.
UniqueFd open_below(int directory, const std::string& path, int flags);

struct PlainFile {
  std::string content;
  uint64_t names = 1;  // hard links
};
// A file's content, if it is a plain file of at most `most` bytes.
Result<PlainFile> read_plain_file(int directory, const std::string& path, size_t most);

// The names in a folder below, sorted; more than `most` are an error.
Result<std::vector<std::string>> names_below(int directory, const std::string& path, size_t most);

// Where a symbolic link of that name leads; empty if it is none.
std::string link_target(int directory, const std::string& name);

// Whether both descriptors are of the same file or folder.
bool is_same_entry(int one, int other);

}  // namespace talaria
