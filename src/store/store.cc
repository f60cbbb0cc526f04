#include "store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "os/file.h"
#include "os/reserve.h"
#include "store/inspection.h"
#include "store/migrations.h"

namespace talaria {
namespace {

constexpr int64_t long_log = 4 << 20;
// At the start nobody is served yet, so what must be done before can wait for a lock.
constexpr auto opening_patience = 5s;
constexpr auto look_again_after = 20ms;
// The loop holds the lock for the time of one commit. Readers in other processes may stay for long, and for them the
// log is not held up.
constexpr auto checkpoint_patience = 50ms;
// Our rows are short and change one at a time: a smaller page than SQLite's 4096 is less to write for each.
constexpr int64_t page_size = 2048;
// On the loop, which serves others in between.
constexpr auto copying_time = 5ms;

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
  // Also shows right here, not at the first job, that we can write. A lock or a full disk may pass.
  Result<> noted = MetaTable(database).set("opened_ms", std::to_string(epoch_ms()));
  if (!noted && !means_locked(noted.error()) && !means_full_disk(noted.error())) return noted;
  return database.execute("PRAGMA synchronous = NORMAL", "open the database");
}

Result<Opening> open_and_inspect(const std::string& path, Database::Sharing sharing) {
  if (std::optional<Finding> orphan = find_orphaned_log(path)) return Opening(*std::move(orphan));
  const int64_t log_size = size_of(path + "-wal");
  Database database = TRY(Database::open(path, sharing));
  // Nobody else can open it then, our own checkpoints included: they are made here, by what is written.
  if (sharing == Database::Sharing::alone) {
    TRY(database.execute("PRAGMA wal_autocheckpoint = 1000", "open the database"));
  }
  if (std::optional<Finding> finding = TRY(inspect(database))) return Opening(*std::move(finding));
  TRY(make_ready(database, log_size));
  database.set_on_close(Database::OnClose::merge_log);
  return Opening(std::move(database));
}

Result<Opening> try_open(const std::string& path) {
  const auto deadline = Clock::now() + opening_patience;
  Result<Opening> opening = open_and_inspect(path, Database::Sharing::with_others);
  // Someone has the file for himself alone: it cannot even be read.
  while (!opening && means_locked(opening.error()) && Clock::now() < deadline) {
    std::this_thread::sleep_for(look_again_after);
    opening = open_and_inspect(path, Database::Sharing::with_others);
  }
  // A full disk may have no room for the index of the log, and all of its content can be read without that file.
  if (!opening && means_full_disk(opening.error())) opening = open_and_inspect(path, Database::Sharing::alone);
  if (opening || opening.error().code() != ErrorCode::unavailable) return opening;
  return Opening(Finding{"corrupt", "cannot be used (" + opening.error().message() + ")"});
}

std::string notes_beside(const std::string& path) {
  const std::string_view ending = ".db";
  return (path.ends_with(ending) ? path.substr(0, path.size() - ending.size()) : path) + ".notes";
}

Result<Database> open_copy(const std::string& path) {
  Database database = TRY(Database::open_existing(path));
  TRY(database.execute("SELECT count(*) FROM meta", "open the database"));
  return database;
}

}  // namespace

Store::Store(Database database, std::vector<std::string> notices, Clocks clocks)
    : database_(std::make_unique<Database>(std::move(database))),
      queue_(std::make_unique<WriteQueue>(*database_)),
      notices_(std::move(notices)),
      timeline_(Timeline::open(*database_, std::move(clocks))),
      sessions_(*database_),
      jobs_(*database_),
      events_(*database_),
      agent_places_(*database_),
      secret_fingerprints_(*database_),
      meta_(*database_),
      notebook_(notes_beside(database_->path())),
      place_(database_->path()) {
  (void)notebook_.make();  // where it cannot be made, who notes something hears so
}

Result<Store> Store::open(const std::string& path, Clocks clocks) {
  Opening opening = TRY(try_open(path));
  if (Database* database = std::get_if<Database>(&opening)) return Store(std::move(*database), {}, std::move(clocks));
  const Finding finding = std::get<Finding>(std::move(opening));
  const std::string kept = TRY(set_aside(path, finding.label));
  std::string notice = path + " " + finding.reason + ". It was set aside as " + kept + " and a fresh one was made";
  opening = TRY(try_open(path));
  if (Database* database = std::get_if<Database>(&opening)) {
    return Store(std::move(*database), {std::move(notice)}, std::move(clocks));
  }
  return Error(ErrorCode::unavailable, notice + ", but that one " + std::get<Finding>(opening).reason);
}

Result<> Store::batch(const std::function<Result<>()>& work) {
  if (database_->in_transaction()) return work();
  Transaction transaction = TRY(Transaction::begin(*database_));
  TRY(work());
  return transaction.commit();
}

void Store::write_soon(PendingWrite change) {
  queue_->add(std::move(change), Clock::now());
  if (write_events_.on_waiting) write_events_.on_waiting();
}

Result<> Store::write_now(PendingWrite change) {
  const std::string key = change.key;
  queue_->add(std::move(change), Clock::now());
  // While there is trouble, a timer tries, not every call.
  Result<std::vector<WriteQueue::Refusal>> refused =
      trouble_ ? Result<std::vector<WriteQueue::Refusal>>(*trouble_) : write_due(Clock::now());
  if (queue_->size() > 0 && write_events_.on_waiting) write_events_.on_waiting();
  if (!refused) return ok;
  Result<> own = ok;
  for (WriteQueue::Refusal& refusal : *refused) {
    if (refusal.key == key) own = std::move(refusal.error);
    else if (write_events_.on_refused) write_events_.on_refused(refusal.error);
  }
  return own;
}

Result<> Store::write_waiting() {
  for (const WriteQueue::Refusal& refusal : TRY(write_due(Clock::now()))) {
    if (write_events_.on_refused) write_events_.on_refused(refusal.error);
  }
  return ok;
}

void Store::write_everything() {
  if (database_->in_transaction()) return;  // nothing would be written, and all would stay due
  const Clock::time_point now = Clock::now();
  queue_->hurry(now);
  while (queue_->due(now) && write_waiting()) {
  }
}

Result<std::vector<WriteQueue::Refusal>> Store::write_due(Clock::time_point now) {
  // Inside a batch of the caller's this would be part of that, and be told as stored before it is.
  if (database_->in_transaction()) return std::vector<WriteQueue::Refusal>();
  Result<std::vector<WriteQueue::Refusal>> refused = queue_->write_due(now);
  trouble_.reset();
  if (!refused) trouble_ = refused.error();
  return refused;
}

bool Store::locked() const {
  if (database_->in_transaction()) return false;  // we have it
  const Result<Transaction> attempt = Transaction::begin(*database_);
  return !attempt && means_locked(attempt.error());
}

void Store::add_notice(const std::string& notice) {
  if (std::find(notices_.begin(), notices_.end(), notice) == notices_.end()) notices_.push_back(notice);
}

Result<bool> Store::write_again() {
  Result<bool> whole = copy_and_use();
  // For the next attempt.
  if (!whole && means_full_disk(whole.error())) give_up_reserve(path().substr(0, path().find_last_of('/')));
  return whole;
}

Result<bool> Store::copy_and_use() {
  const std::string target = path() + "-again";
  if (!copy_) copy_ = TRY(DatabaseCopy::begin(*database_, target));
  Result<bool> whole = copy_->go_on(copying_time);
  if (whole && !*whole) return false;
  copy_.reset();
  if (!whole) return whole;
  Result<> used = use_again(target);
  ::unlink(target.c_str());
  if (!used) return std::move(used).error();
  return true;
}

Result<> Store::use_again(const std::string& copy) {
  if (place() != DatabasePlace::State::removed) return ok;  // somebody put one there
  // With the log of another, SQLite would spoil the file.
  for (const char* suffix : {"-wal", "-shm"}) ::unlink((path() + suffix).c_str());
  struct stat ours {};
  if (::stat(copy.c_str(), &ours) != 0) return Error::from_errno("look at " + copy);
  const unsigned how = exists(path()) ? 0 : RENAME_NOREPLACE;  // without its log, the one that is there is not whole
  if (::renameat2(AT_FDCWD, copy.c_str(), AT_FDCWD, path().c_str(), how) != 0) {
    return Error::from_errno("rename " + copy + " to " + path());
  }
  Result<Database> again = open_copy(path());
  if (!again) {
    // It would pass for a file of somebody else, and what is stored from now on is not in it.
    struct stat found {};
    const bool still_ours =
        ::stat(path().c_str(), &found) == 0 && found.st_dev == ours.st_dev && found.st_ino == ours.st_ino;
    for (const char* suffix : {"-wal", "-shm", ""}) {
      if (still_ours) ::unlink((path() + suffix).c_str());
    }
    return std::move(again).error();
  }
  again->set_on_close(Database::OnClose::merge_log);
  // The log at its name is no longer its.
  database_->set_on_close(Database::OnClose::touch_nothing);
  *database_ = *std::move(again);
  place_ = DatabasePlace(path());
  clean_at_ = -1;
  return ok;
}

Result<> Store::checkpoint(const std::string& path) {
  const std::string log = path + "-wal";
  const int64_t log_size = size_of(log);
  if (log_size == 0) return ok;
  // Moving the log into the file is much more work than syncing it, so that waits for a long log. A file of one page
  // was just made: that page is in no log and has not been brought to the disk yet.
  if (log_size >= long_log || size_of(path) <= page_size) {
    Database database = TRY(Database::open_existing(path));
    database.set_patience(checkpoint_patience);
    // Most of it while others write. Under load there is always something new at the end of that, and a log starts over
    // only when all of it is in the file: the little that is left is moved while nobody can write.
    TRY(TRY(database.prepare("PRAGMA wal_checkpoint(PASSIVE)", "checkpoint")).run());
    TRY(TRY(database.prepare("PRAGMA wal_checkpoint(RESTART)", "checkpoint")).run());
    // The next change begins the log, which waits for the disk. Better here than on the loop's thread.
    Result<> begun = MetaTable(database).set("checkpoint_ms", std::to_string(epoch_ms()));
    // Somebody else was quicker, who has begun it then.
    if (!begun && !means_locked(begun.error())) return begun;
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
