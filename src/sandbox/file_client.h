#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "sandbox/file_protocol.h"

namespace talaria {

struct OpenedFile {
  UniqueFd fd;  // of a regular file: to read and write, not to map or open once more
  FileStat stat;
  std::string real_path = {};  // without links, as the sandbox sees it
};

struct FoundFile {
  FileStat stat;
  std::string real_path;
  bool operator==(const FoundFile&) const = default;
};

struct FileListing {
  std::vector<FileEntry> entries;  // in the directory's own order
  bool complete = true;            // false: there were more than asked for
};

// Why a request failed, in words; for an answer that says so.
Error to_error(const FileRequest& request, const FileAnswer& answer);

// The file server of a session, from outside. Calls block, at most as long as its patience, and must not overlap. Paths
// are absolute and mean what they mean inside. Errors name the path and carry the errno; unavailable means that the
// server is gone and a new one is needed.
class FileClient {
 public:
  enum class Links { followed, looked_at };
  enum class Existing { replaced, kept };

  // `socket` is the other end of what the server was started with.
  static Result<FileClient> adopt(UniqueFd socket, std::chrono::milliseconds patience = 10s);

  Result<OpenedFile> open(const std::string& path, const FileAccess& access, uint32_t mode = 0644);
  Result<FileStat> stat(const std::string& path, Links links = Links::followed);
  Result<FoundFile> find(const std::string& path);  // links are followed
  Result<FileListing> list(const std::string& path, size_t most = 100'000);
  Result<std::string> read_link(const std::string& path);
  Result<> make_directory(const std::string& path, uint32_t mode = 0755);
  Result<> rename(const std::string& from, const std::string& to, Existing existing = Existing::replaced);
  Result<> remove(const std::string& path);  // a file, a link or an empty directory
  Result<> set_mode(const std::string& path, uint32_t mode);
  Result<> set_owner(const std::string& path, uint32_t uid, uint32_t gid);  // of a regular file; links not followed

  // Whether an earlier call found the server gone, or gave it up.
  bool gone() const { return !socket_; }

 private:
  explicit FileClient(UniqueFd socket) : socket_(std::move(socket)) {}
  Result<FileAnswer> ask(const FileRequest& request, UniqueFd* opened = nullptr);
  Result<FileAnswer> exchange(const FileRequest& request, UniqueFd* opened);
  Error give_up(ErrorCode code, std::string message);

  UniqueFd socket_;
};

}  // namespace talaria
