#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

// Folders and files by descriptor. Paths are relative to an open folder, never leave it and never go through a link.

namespace talaria {

// The folder at `path`; ".": `root` itself. A link on the way, or in its place, is an error that says so.
Result<UniqueFd> open_folder_below(int root, const std::string& path);
// The same, made with its parents where it is missing.
Result<UniqueFd> make_folder_below(int root, const std::string& path, mode_t mode = 0755);

// The text of a regular file; links are refused.
Result<std::string> read_file_below(int root, const std::string& path, size_t most);
// Writes a new file and puts it in the place of what is there, all or nothing. A new one gets `mode`, an old one keeps
// its own.
Result<> write_file_below(int root, const std::string& path, std::string_view content, mode_t mode = 0644);

// What is at `path`, links not followed; not_found when nothing is.
Result<struct stat> look_below(int root, const std::string& path);

// Sorted names in an open folder.
Result<std::vector<std::string>> names_in_folder(int folder);

struct TreeSize {
  uint64_t files = 0;  // and folders, and links
  uint64_t bytes = 0;
};

// The most that a change may copy.
inline constexpr TreeSize most_tree = {5000, 64 << 20};

// Copies all of one open folder into another, empty one: files with mode and time, links as they are, and all of it on
// the disk when it returns. More than most_tree, or anything but files, folders and links, is an error.
Result<TreeSize> copy_tree(int from, int to);

// How much there is to copy, were there no limit.
TreeSize tree_size(int folder);

// Removes `name`, whatever it is, with all that is in it.
Result<> remove_below(int folder, const std::string& name);

Result<> sync_folder(int folder);

// "a/b" → "a"; "a" → "."
std::string parent_path(const std::string& path);
std::string leaf_name(const std::string& path);

}  // namespace talaria
