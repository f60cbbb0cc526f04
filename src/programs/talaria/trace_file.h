#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// Where a timeline is to be written in the end: opened before anything runs, so that a wrong name is known in time.
// What the file held stays until then; one that was made for it and gets nothing is gone with this.
class TraceFile {
 public:
  static Result<TraceFile> open(const std::string& path);
  TraceFile(TraceFile&&) = default;
  TraceFile& operator=(TraceFile&&) = delete;
  ~TraceFile();

  Result<> write(std::string_view text);

 private:
  enum class Was { there, absent };
  TraceFile(std::string path, UniqueFd fd, Was was) : path_(std::move(path)), fd_(std::move(fd)), was_(was) {}

  std::string path_;
  UniqueFd fd_;
  Was was_;
};

}  // namespace talaria
