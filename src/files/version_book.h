#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "sandbox/file_protocol.h"

namespace talaria {

// One state of a file's content, as far as it can be told without reading it.
struct FileVersion {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified_ns = 0;
  bool operator==(const FileVersion&) const = default;
};
FileVersion version_of(const FileStat& stat);

// What a session knows of a file.
struct SeenFile {
  FileVersion version;
  std::string sha256;   // of small files that were seen whole, else empty
  int64_t seen_ns = 0;  // since 1970
  bool operator==(const SeenFile&) const = default;
};

// Which version of each file a session saw last, by real path. For all threads. Remembers so many files as a session
// can have in mind; of those beyond, the ones seen longest ago are forgotten.
class VersionBook {
 public:
  static constexpr size_t most_files = 10'000;
  static constexpr uint64_t most_hashed_bytes = 4 << 20;

  void saw(const std::string& real_path, const FileVersion& version, std::string sha256);
  void forget(const std::string& real_path);
  // The session itself removed it; that is known until it sees the file again.
  void removed(const std::string& real_path);
  bool was_removed(const std::string& real_path) const;
  std::optional<SeenFile> find(const std::string& real_path) const;

 private:
  mutable std::mutex mutex_;
  struct Entry {
    SeenFile seen;
    uint64_t turn = 0;
  };
  std::map<std::string, Entry> files_;
  std::set<std::string> removed_;
  uint64_t turns_ = 0;  // counts what was seen: clocks may be set back
};

// Whether a file with this version may be another than the one seen, although the versions are equal: it was written so
// shortly before it was seen that the clock of its file system may not tell a later write from it.
bool is_doubtful(const SeenFile& seen);

}  // namespace talaria
