#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// A small file beside the database, for the little that must be kept also while that cannot be written: which jobs were
// removed, and how often somebody began to number events. Its room is taken when it is made, so that a note needs no
// byte and no inode of a disk that has become full since. What is noted survives a kill of the process.
class Notebook {
 public:
  explicit Notebook(std::string path) : path_(std::move(path)) {}

  // Makes it when it is absent. Safe to repeat.
  Result<> make() const;

  // The jobs that were removed while their rows could not be.
  std::vector<std::string> removed() const;
  Result<> note_removed(const std::string& job) const;
  // None of them has a row any more.
  Result<> clear_removed() const;

  // A number that was not given before and is higher than `above`.
  Result<int64_t> next_round(int64_t above) const;

 private:
  Result<UniqueFd> open_or_make() const;
  Result<std::string> read() const;
  Result<> write_at(uint64_t offset, const std::string& text) const;

  std::string path_;
};

}  // namespace talaria
