#pragma once
#include <optional>
#include <string>

#include "files/file_system.h"

namespace talaria {

// A place that is to be written, and what is there.
struct WriteTarget {
  std::string real_path;
  std::optional<FileStat> existing;
};

enum class CheckVersion { no, yes };

// Why a path leads nowhere that could be written, in words for who asked.
Error why_no_place(const Error& error);

// Errors say why it cannot be written: a directory, a FIFO, no permission. Opens an existing file to see that it may be
// written, for a new one in its place would not ask that.
Result<WriteTarget> look_at_target(FileSystem& files, const std::string& real_path);

// A conflict, if what is there is no longer what was looked at.
Result<> check_unchanged(FileSystem& files, const WriteTarget& target);

}  // namespace talaria
