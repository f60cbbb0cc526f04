#pragma once
#include <string>

#include "files/file_system.h"
#include "files/path_locks.h"
#include "files/version_book.h"
#include "gate/file_gate.h"
#include "json/json.h"

namespace talaria {

enum class Overwrite {
  unless_changed,  // refused when the file is no longer the one the session read
  always,
};

struct WriteRequest {
  std::string path = {};        // absolute
  std::string shown_path = {};  // as it was asked for
  std::string content = {};     // valid UTF-8
  Overwrite overwrite = Overwrite::unless_changed;
};

// {path, bytes_written, created, sha256}; with encoding when it is not UTF-8, with note when something of the old file
// could not be kept. A link is followed and stays a link. What is kept of an existing file: mode and owner, its charset
// with the byte order mark, and CRLF line ends, if the new content has none of its own. An error is {error, path}, with
// stale: true when the file changed since the session read it; the old file is then whole.
JsonObject write_file(FileSystem& files, FileGate& gate, VersionBook& book, PathLocks& locks,
                      const WriteRequest& request);

}  // namespace talaria
