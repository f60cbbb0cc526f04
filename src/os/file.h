#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// open(2) with O_CLOEXEC; the error names the path.
Result<UniqueFd> open_file(const std::string& path, int flags, mode_t mode = 0600);

// The whole file, up to `most` bytes; longer is an error.
Result<std::string> read_file(const std::string& path, size_t most = 16 << 20);
// Up to `length` bytes from `offset`.
Result<std::string> read_at(int fd, uint64_t offset, size_t length);
Result<> write_all(int fd, std::string_view data);

enum class Durable { no, yes };  // yes: fsync the file before and its directory after the rename

// Replaces `path` whole or not at all: temporary file beside it, then rename.
Result<> write_file_atomically(const std::string& path, std::string_view content, mode_t mode = 0600,
                               Durable durable = Durable::yes);

// Makes the directory and its missing parents.
Result<> make_directories(const std::string& path, mode_t mode = 0700);
// Removes a file, or a directory with all it holds, without following links. Absent is fine.
Result<> remove_tree(const std::string& path);
// Names in a directory, sorted, without . and ..
Result<std::vector<std::string>> list_directory(const std::string& path);
bool exists(const std::string& path);
// Absolute, with every link resolved; empty where nothing is, and errno says why.
std::string real_path(const std::string& path);
// The same, or the path as it was given.
std::string real_or_given_path(const std::string& path);

// An flock(2) on a file, held until it goes.
class FileLock {
 public:
  // nullopt-like: an invalid lock (held() false) when someone else has it.
  static Result<FileLock> try_take(const std::string& path);
  static Result<FileLock> take(const std::string& path);
  bool held() const { return static_cast<bool>(fd_); }
  // Writes our pid into the file, for those who look for us; on a full disk it stays empty.
  void sign() const;
  // Whether the file at `path` is the one we have locked: it may have been removed or replaced since.
  bool is_at(const std::string& path) const;

 private:
  UniqueFd fd_;
};

}  // namespace talaria
