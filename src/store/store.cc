#include "store/store.h"

#include <fcntl.h>

#include "os/file.h"
#include "store/inspection.h"
#include "store/migrations.h"

namespace talaria {
namespace {

constexpr int64_t long_log = 4 << 20;
// Our rows are short and change one at a time: a smaller page than SQLite's 4096 is less to write for each.
constexpr int64_t page_size = 2048;

// A database ready for use, or what keeps us from using this file.
using Opening = std::variant<Database, Finding>;

Result<> use_log(Database& database) {
  Statement statement = TRY(database.prepare("PRAGMA journal_mode = WAL", "switch to a write-ahead log"));
  std::string mode;
  if (TRY(statement.step())) statement.read(mode);
  if (mode == "wal") return ok;
  return Error(ErrorCode::system, "switch to a write-ahead log in " + database.path() +
                                      ": its filesystem does not allow one. Put TALARIA_HOME on a local disk");
}

// Everything that writes before the first use. The first write to a log waits for the disk, which keeps the log's old
// content from being mistaken for new after a power cut. An empty log has none, so there nothing need be waited for:
// the next checkpoint makes it durable.
Result<> make_ready(Database& database, int64_t log_size) {
  if (log_size == 0) TRY(database.execute("PRAGMA synchronous = OFF", "open the database"));
  // Takes effect only in a file that is still empty.
  TRY(database.execute("PRAGMA page_size = " + std::to_string(page_size), "open the database"));
  TRY(use_log(database));
  if (TRY(version_of(database)) < newest_version()) TRY(migrate(database));
  // Also shows right here, not at the first job, that we can write.
  TRY(MetaTable(database).set("opened_ms", std::to_string(epoch_ms())));
  return database.execute("PRAGMA synchronous = NORMAL", "open the database");
}

Result<Opening> open_and_inspect(const std::string& path) {
  if (std::optional<Finding> orphan = find_orphaned_log(path)) return Opening(*std::move(orphan));
  const int64_t log_size = size_of(path + "-wal");
  Database database = TRY(Database::open(path));
  if (std::optional<Finding> finding = TRY(inspect(database))) return Opening(*std::move(finding));
  TRY(make_ready(database, log_size));
  database.set_on_close(Database::OnClose::merge_log);
  return Opening(std::move(database));
}

Result<Opening> try_open(const std::string& path) {
  Result<Opening> opening = open_and_inspect(path);
  if (opening || opening.error().code() != ErrorCode::unavailable) return opening;
  return Opening(Finding{"corrupt", "cannot be used (" + opening.error().message() + ")"});
}

}  // namespace

Store::Store(Database database, std::vector<std::string> notices)
    : database_(std::make_unique<Database>(std::move(database))),
      notices_(std::move(notices)),
      sessions_(*database_),
      jobs_(*database_),
      events_(*database_),
      agent_places_(*database_),
      secret_fingerprints_(*database_),
      meta_(*database_) {}

Result<Store> Store::open(const std::string& path) {
  Opening opening = TRY(try_open(path));
  if (Database* database = std::get_if<Database>(&opening)) return Store(std::move(*database), {});
  const Finding finding = std::get<Finding>(std::move(opening));
  const std::string kept = TRY(set_aside(path, finding.label));
  std::string notice = path + " " + finding.reason + ". It was set aside as " + kept + " and a fresh one was made";
  opening = TRY(try_open(path));
  if (Database* database = std::get_if<Database>(&opening)) return Store(std::move(*database), {std::move(notice)});
  return Error(ErrorCode::unavailable, notice + ", but that one " + std::get<Finding>(opening).reason);
}

Result<> Store::batch(const std::function<Result<>()>& work) {
  if (database_->in_transaction()) return work();
  Transaction transaction = TRY(Transaction::begin(*database_));
  TRY(work());
  return transaction.commit();
}

Result<> Store::checkpoint(const std::string& path) {
  const std::string log = path + "-wal";
  const int64_t log_size = size_of(log);
  if (log_size == 0) return ok;
  // Moving the log into the file is much more work than syncing it, so that waits for a long log. A file of one page
  // was just made: that page is in no log and has not been brought to the disk yet.
  if (log_size >= long_log || size_of(path) <= page_size) {
    Database database = TRY(Database::open(path));
    TRY(TRY(database.prepare("PRAGMA wal_checkpoint(PASSIVE)", "checkpoint")).run());
    // The next change starts the log over, which waits for the disk. Better here than on the loop's thread.
    TRY(MetaTable(database).set("checkpoint_ms", std::to_string(epoch_ms())));
  } else {
    // Safe to open and close beside SQLite: its locks are on the other files.
    UniqueFd fd = TRY(open_file(log, O_RDONLY));
    if (::fdatasync(fd.get()) != 0) return Error::from_errno("bring to the disk " + log);
  }
  UniqueFd directory = TRY(open_file(path.substr(0, path.find_last_of('/') + 1) + ".", O_RDONLY | O_DIRECTORY));
  if (::fsync(directory.get()) != 0) return Error::from_errno("bring to the disk the directory of " + path);
  return ok;
}

}  // namespace talaria
