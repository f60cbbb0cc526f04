#pragma once
#include <optional>
#include <string>
#include <vector>

#include "files/file_system.h"
#include "files/loaded_file.h"
#include "files/version_book.h"

namespace talaria {

// What is to become of one file.
struct FileEdit {
  std::string real_path;
  std::string shown_path;             // as it was asked for, for messages
  std::optional<LoadedFile> before;   // nullopt: it is not there yet
  std::optional<std::string> after;   // its bytes; nullopt: it is removed
  std::optional<uint32_t> mode = {};  // of a new file, if not by the umask
};

// Makes all edits or none: the contents are written beside their files first, then each file is looked at once more,
// and only then they are put into their places. If that fails halfway, the files are put back; the error says so. It
// begins with the path as it was asked for. The caller holds the paths.
Result<> apply_edits(FileSystem& files, VersionBook& book, const std::vector<FileEdit>& edits);

}  // namespace talaria
