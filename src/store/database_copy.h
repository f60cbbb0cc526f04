#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "store/database.h"

struct sqlite3_backup;

namespace talaria {

// A copy of an open database into a new file, made piece by piece. Works also when the names of the open one are gone.
// What is written through `source` meanwhile is in the copy, too.
class DatabaseCopy {
 public:
  // `source` outlives it. A file at `target` is removed first.
  static Result<std::unique_ptr<DatabaseCopy>> begin(Database& source, const std::string& target);
  DatabaseCopy(const DatabaseCopy&) = delete;
  DatabaseCopy& operator=(const DatabaseCopy&) = delete;
  // One that is not whole is removed.
  ~DatabaseCopy();

  // Goes on for about this long; true when the copy is whole, on the disk and closed.
  Result<bool> go_on(Clock::duration time);

 private:
  DatabaseCopy(std::string target, Database copy) : target_(std::move(target)), copy_(std::move(copy)) {}
  Result<> finish();

  std::string target_;
  std::optional<Database> copy_;
  sqlite3_backup* backup_ = nullptr;
  bool whole_ = false;
};

}  // namespace talaria
