#pragma once
#include "files/file_system.h"
#include "sandbox/file_operations.h"

namespace talaria {

// The machine's own files, with our own rights; for sessions without a sandbox. Hands out no more kinds of files than a
// file server does.
class HostFiles : public FileSystem {
 public:
  HostFiles() : operations_(MountPlan{}) {}

  Result<OpenedFile> open(const std::string& path, const FileAccess& access, uint32_t mode = 0666) override;
  Result<FileStat> stat(const std::string& path, Links links = Links::followed) override;
  Result<FoundFile> find(const std::string& path) override;
  Result<FileListing> list(const std::string& path, size_t most = 100'000) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<> make_directory(const std::string& path, uint32_t mode = 0777) override;
  Result<> rename(const std::string& from, const std::string& to, Existing existing = Existing::replaced) override;
  Result<> remove(const std::string& path) override;
  Result<> set_mode(const std::string& path, uint32_t mode) override;
  Result<> set_owner(const std::string& path, uint32_t uid, uint32_t gid) override;

 private:
  Result<FileAnswer> ask(const FileRequest& request, UniqueFd* opened = nullptr);

  FileOperations operations_;
};

}  // namespace talaria
