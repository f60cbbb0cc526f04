#pragma once
#include "files/file_system.h"

namespace talaria {

// The files of a session, as its sandbox's file server gives them.
class SandboxFiles : public FileSystem {
 public:
  explicit SandboxFiles(FileClient& client) : client_(client) {}

  Result<OpenedFile> open(const std::string& path, const FileAccess& access, uint32_t mode = 0666) override {
    return client_.open(path, access, mode);
  }
  Result<FileStat> stat(const std::string& path, Links links = Links::followed) override {
    return client_.stat(path, links);
  }
  Result<FoundFile> find(const std::string& path) override { return client_.find(path); }
  Result<FileListing> list(const std::string& path, size_t most = 100'000) override { return client_.list(path, most); }
  Result<std::string> read_link(const std::string& path) override { return client_.read_link(path); }
  Result<> make_directory(const std::string& path, uint32_t mode = 0777) override {
    return client_.make_directory(path, mode);
  }
  Result<> rename(const std::string& from, const std::string& to, Existing existing = Existing::replaced) override {
    return client_.rename(from, to, existing);
  }
  Result<> remove(const std::string& path) override { return client_.remove(path); }
  Result<> set_mode(const std::string& path, uint32_t mode) override { return client_.set_mode(path, mode); }
  Result<> set_owner(const std::string& path, uint32_t uid, uint32_t gid) override {
    return client_.set_owner(path, uid, gid);
  }

 private:
  FileClient& client_;
};

}  // namespace talaria
