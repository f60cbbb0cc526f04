#include "store/database_copy.h"

#include <sqlite3.h>
#include <unistd.h>

#include <utility>

namespace talaria {
namespace {

constexpr int pages_at_once = 64;

void remove_database(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path + suffix).c_str());
}

}  // namespace

Result<std::unique_ptr<DatabaseCopy>> DatabaseCopy::begin(Database& source, const std::string& target) {
  remove_database(target);
  std::unique_ptr<DatabaseCopy> copy(new DatabaseCopy(target, TRY(Database::open(target))));
  // Nobody reads it before it is whole, so nothing need be undone.
  TRY(copy->copy_->execute("PRAGMA journal_mode = MEMORY", "copy the database"));
  copy->backup_ = sqlite3_backup_init(copy->copy_->handle_, "main", source.handle_, "main");
  if (!copy->backup_) return copy->copy_->last_failure("copy the database");
  return copy;
}

DatabaseCopy::~DatabaseCopy() {
  (void)finish();
  if (!whole_) remove_database(target_);
}

Result<bool> DatabaseCopy::go_on(Clock::duration time) {
  const auto until = Clock::now() + time;
  do {
    const int code = sqlite3_backup_step(backup_, pages_at_once);
    if (code == SQLITE_DONE) {
      TRY(finish());
      return whole_ = true;
    }
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return false;
    if (code != SQLITE_OK) {
      TRY(finish());
      return Error(ErrorCode::system, "copy the database to " + target_ + ": " + sqlite3_errstr(code));
    }
  } while (Clock::now() < until);
  return false;
}

Result<> DatabaseCopy::finish() {
  if (!backup_) return ok;
  const int code = sqlite3_backup_finish(std::exchange(backup_, nullptr));
  Result<> finished = ok;
  if (code != SQLITE_OK) finished = copy_->last_failure("copy the database");
  copy_.reset();
  return finished;
}

}  // namespace talaria
