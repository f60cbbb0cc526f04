#pragma once
#include <optional>
#include <string>

#include "files/file_system.h"
#include "files/text_encoding.h"
#include "files/version_book.h"

namespace talaria {

// A file's content as it was at one moment.
struct LoadedFile {
  std::string bytes;
  FileStat stat;
  bool operator==(const LoadedFile&) const = default;
};

// All of a regular file of at most `most` bytes. `real_path` is not followed if it is a link by now. An error says what
// is too large.
Result<LoadedFile> load_file(FileSystem& files, const std::string& real_path, uint64_t most);

// How a whole file's bytes are to be read, as read_file sees them.
std::optional<TextEncoding> encoding_of(std::string_view bytes);

// Whether the session saw another content of this file than it has now. `now` is what is there.
Result<bool> is_stale(FileSystem& files, const VersionBook& book, const std::string& real_path, const FileStat& now);

}  // namespace talaria
