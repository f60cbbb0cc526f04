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

// All of a regular file of at most `most` bytes. `real_path` is not followed if it is a link by now. An error says why
// not, without the path.
Result<LoadedFile> load_file(FileSystem& files, const std::string& real_path, uint64_t most);

// How a file is to be read, by its first 64 KiB alone: for every page, every reader and every writer the same. `bytes`
// are all of it, or so much that more would not count.
inline constexpr size_t most_encoding_bytes = 64 << 10;
std::optional<TextEncoding> encoding_of(std::string_view bytes, Extent extent = Extent::whole);

// Whether the session saw another content of this file than it has now. `now` is what is there.
Result<bool> is_stale(FileSystem& files, const VersionBook& book, const std::string& real_path, const FileStat& now);

}  // namespace talaria
