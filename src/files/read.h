#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "files/audience.h"
#include "files/file_system.h"
#include "files/version_book.h"
#include "gate/file_gate.h"
#include "json/json.h"

namespace talaria {

struct ReadRequest {
  std::string path = {};        // absolute
  std::string shown_path = {};  // as it was asked for
  uint64_t offset = 1;          // the first line
  uint64_t limit = 2000;        // lines
  Audience audience = Audience::agent;
  const std::atomic<bool>* cancelled = nullptr;
};

// UTF-16 files up to this size are read.
inline constexpr uint64_t most_utf16_bytes = 64 << 20;

// {content, path, total_lines, file_size, offset, lines_returned, truncated, encoding}, and
// - next_offset and truncated_by ("lines", or "bytes" when the asked lines are too large for a result) when there is
//   more;
// - hint where nothing could be shown, or a line not whole, or where bytes are not UTF-8 in a file that else is.
// A file that cannot be read gives {error, path}; with similar_files when it is not there, with is_binary, mime and
// file_size when it is no text. Programs get the lines with their line ends; what is written back is the same file.
JsonObject read_file(FileSystem& files, FileGate& gate, VersionBook& book, const ReadRequest& request);

}  // namespace talaria
