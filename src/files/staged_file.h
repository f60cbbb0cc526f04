#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_system.h"
#include "files/version_book.h"

namespace talaria {

// What a new content is for.
struct StageTarget {
  std::string real_path;
  std::optional<FileStat> existing;   // whose mode and owner are kept; else it is a new file
  std::optional<uint32_t> mode = {};  // of a new file, if not by the umask
};

// A new content of a file, written beside it and not yet in its place; removed when it goes. Folders that were made for
// it are then removed too.
class StagedFile {
 public:
  static Result<StagedFile> write(FileSystem& files, const StageTarget& target, std::string_view content);

  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile();

  // Puts it into its place, at once and whole, and gives what is there then.
  Result<FileStat> commit(FileSystem::Existing existing);

  const std::string& real_path() const { return real_path_; }
  const std::string& note() const { return note_; }  // what could not be kept, or nothing
  // Folders made for it; whoever commits it takes care of them.
  const std::vector<std::string>& made_folders() const { return made_; }

 private:
  StagedFile(FileSystem& files, std::string real_path) : files_(&files), real_path_(std::move(real_path)) {}
  Result<> fill(const StageTarget& target, std::string_view content);
  Result<> keep_owner_and_mode(const FileStat& existing, const FileStat& mine);

  FileSystem* files_;
  std::string real_path_;
  std::string temporary_;
  bool committed_ = false;
  std::string note_;
  std::vector<std::string> made_;
};

// Removes what killed writers of this file left beside it, an hour ago or more.
void remove_leftovers(FileSystem& files, const std::string& real_path);

}  // namespace talaria
