#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gate/own_state.h"
#include "policy/rule_list.h"

namespace talaria {

// Leave to use one file in one way. Only a FileGate can cut one, so that no file is used that nobody judged.
class FilePermit {
 public:
  FileUse use() const { return use_; }
  const std::string& path() const { return path_; }  // where it really leads

 private:
  friend class FileGate;
  FilePermit(FileUse use, std::string path) : use_(use), path_(std::move(path)) {}

  FileUse use_;
  std::string path_;
};

// What was judged, for the record.
struct FileVerdict {
  FileUse use = FileUse::read;
  std::string path;
  Verdict verdict;
  bool operator==(const FileVerdict&) const = default;
};

// Judges every file that one call of a tool uses. The Gate makes one for each call; it may be used on another thread,
// by one at a time.
class FileGate {
 public:
  // `path` as it was asked for and `real_path`, to which it leads; both absolute. Both are judged, and what the file is
  // called in our home if it is one of ours. An error has the code denied and says which file, why and what its owner
  // can do.
  Result<FilePermit> permit(FileUse use, const std::string& path, const std::string& real_path);
  // Whether it would be permitted; nothing is recorded.
  bool would_permit(FileUse use, const std::string& path) const;

  // Why nobody may write this path, beside the owner's rules; empty when nothing speaks against it.
  using Danger = std::function<std::string(const std::string& path)>;
  void refuse_writing(Danger danger) { danger_ = std::move(danger); }

  const std::vector<FileVerdict>& verdicts() const { return verdicts_; }

 private:
  friend class Gate;
  FileGate(const RuleList& read, const RuleList& write, const FilePlaces& places, OwnState own)
      : read_(FileUse::read, read, places), write_(FileUse::write, write, places), own_(std::move(own)) {}

  FileRules read_;
  FileRules write_;
  OwnState own_;
  Danger danger_;
  std::vector<FileVerdict> verdicts_;
};

}  // namespace talaria
