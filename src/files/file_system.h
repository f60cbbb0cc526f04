#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/file_client.h"

namespace talaria {

// The files that a session sees: through its sandbox's file server, or the machine's own. Calls block and must not
// overlap. Paths are absolute. Only regular files are opened. Errors name the path and carry the errno.
class FileSystem {
 public:
  using Links = FileClient::Links;
  using Existing = FileClient::Existing;

  virtual ~FileSystem() = default;
  virtual Result<OpenedFile> open(const std::string& path, const FileAccess& access, uint32_t mode = 0666) = 0;
  virtual Result<FileStat> stat(const std::string& path, Links links = Links::followed) = 0;
  virtual Result<FoundFile> find(const std::string& path) = 0;  // links are followed
  virtual Result<FileListing> list(const std::string& path, size_t most = 100'000) = 0;
  virtual Result<std::string> read_link(const std::string& path) = 0;
  virtual Result<> make_directory(const std::string& path, uint32_t mode = 0777) = 0;
  virtual Result<> rename(const std::string& from, const std::string& to, Existing existing = Existing::replaced) = 0;
  virtual Result<> remove(const std::string& path) = 0;  // a file, a link or an empty directory
  virtual Result<> set_mode(const std::string& path, uint32_t mode) = 0;
  virtual Result<> set_owner(const std::string& path, uint32_t uid, uint32_t gid) = 0;  // of a regular file, no link

  // Where a path leads, also one that is not there yet: where its nearest folder leads, and the rest.
  Result<std::string> real_path(const std::string& path);
  // Makes a folder and what is missing above it; gives those it made, from the outside in.
  Result<std::vector<std::string>> make_directories(const std::string& path);
};

// "/a" of "/a/b", "/" of "/a".
std::string parent_of(std::string_view path);
// "b" of "/a/b".
std::string name_of(std::string_view path);

}  // namespace talaria
