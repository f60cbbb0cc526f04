#include "store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/clock.h"
#include "os/file.h"

namespace talaria {
namespace {

bool tells_full_disk(int number) { return number == ENOSPC || number == EDQUOT || number == EFBIG; }

Error full_disk(const std::string& tried) {
  return Error::with_number(ErrorCode::system, ENOSPC,
                            tried + ": the disk is full. Nothing of it was written; free some space and try again");
}

Error in_words(int code, int system_number, const std::string& reason, const std::string& tried) {
  const std::string system_reason = system_number ? std::string(": ") + std::strerror(system_number) : "";
  switch (code & 0xff) {
    case SQLITE_FULL: return full_disk(tried);
    case SQLITE_IOERR:
      if (tells_full_disk(system_number)) return full_disk(tried);
      return Error::with_number(ErrorCode::system, system_number ? system_number : EIO,
                                tried + ": reading or writing the disk failed" + system_reason);
    case SQLITE_NOMEM: return Error::with_number(ErrorCode::system, ENOMEM, tried + ": out of memory");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return {ErrorCode::unavailable, tried + ": the file is damaged (" + reason + ")"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error::with_number(ErrorCode::conflict, EBUSY,
                                tried +
                                    ": another process has it locked. Close it (another gateway, a sqlite3 "
                                    "shell, a backup) and try again");
    case SQLITE_CONSTRAINT:
      // Our tables have no trigger that refuses: it is someone else's, and may go. Until then others can be written.
      if (code == SQLITE_CONSTRAINT_TRIGGER) return {ErrorCode::system, tried + ": " + reason};
      return {ErrorCode::conflict, tried + ": " + reason};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::denied, tried + ": it may not be written (" + reason + "). Check who owns it and its mode"};
    case SQLITE_CANTOPEN:
      if (tells_full_disk(system_number)) return full_disk(tried);
      return {ErrorCode::denied, tried + ": cannot open it or a file beside it" + system_reason +
                                     ". Check that its directory exists and is yours to write"};
    default: return {ErrorCode::system, tried + ": " + reason};
  }
}

bool nothing_is_free(const std::string& path) {
  struct statvfs info {};
  return ::statvfs(path.c_str(), &info) == 0 && (info.f_bavail == 0 || (info.f_files > 0 && info.f_favail == 0));
}

Error failure(sqlite3* handle, std::string_view task, const std::string& path) {
  // SQLite forgets the errno of a write that fails while it commits; a quota is only to be seen there.
  const int last = errno;
  const int kept = sqlite3_system_errno(handle);
  const int code = sqlite3_extended_errcode(handle);
  // When a file cannot be made it looks for one that is there, and tells of that.
  const bool no_room = tells_full_disk(last) || ((code & 0xff) == SQLITE_CANTOPEN && nothing_is_free(path));
  return in_words(code, no_room ? ENOSPC : kept, sqlite3_errmsg(handle), std::string(task) + " in " + path);
}

std::string path_of(sqlite3* handle) {
  const char* name = sqlite3_db_filename(handle, "main");
  return name ? name : "";
}

}  // namespace

Statement::Statement(sqlite3_stmt* statement, sqlite3_stmt** home, std::string_view task)
    : statement_(statement), home_(home), task_(task) {}

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      home_(other.home_),
      task_(other.task_),
      parameter_(other.parameter_),
      column_(other.column_),
      trouble_(other.trouble_) {}

Statement::~Statement() {
  if (!statement_) return;
  sqlite3_reset(statement_);
  if (*home_) {  // The same SQL was used twice at once: one copy is enough.
    sqlite3_finalize(statement_);
    return;
  }
  sqlite3_clear_bindings(statement_);
  *home_ = statement_;
}

void Statement::put(std::string_view text) {
  // A null pointer would store NULL instead of an empty text.
  const char* data = text.data() ? text.data() : "";
  const int code = sqlite3_bind_text64(statement_, ++parameter_, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK && !trouble_) trouble_ = code;
}

void Statement::put_number(int64_t number) {
  const int code = sqlite3_bind_int64(statement_, ++parameter_, number);
  if (code != SQLITE_OK && !trouble_) trouble_ = code;
}

void Statement::put_null() {
  const int code = sqlite3_bind_null(statement_, ++parameter_);
  if (code != SQLITE_OK && !trouble_) trouble_ = code;
}

Statement& Statement::bind_bytes(const std::optional<std::string>& bytes) {
  if (!bytes) {
    put_null();
    return *this;
  }
  const int code = sqlite3_bind_blob64(statement_, ++parameter_, bytes->data(), bytes->size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK && !trouble_) trouble_ = code;
  return *this;
}

Result<bool> Statement::step() {
  sqlite3* handle = sqlite3_db_handle(statement_);
  if (trouble_) return in_words(trouble_, 0, sqlite3_errstr(trouble_), std::string(task_) + " in " + path_of(handle));
  column_ = 0;
  errno = 0;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(handle, task_, path_of(handle));
}

Result<int64_t> Statement::run() {
  while (TRY(step())) {
  }
  return static_cast<int64_t>(sqlite3_changes64(sqlite3_db_handle(statement_)));
}

void Statement::take(std::string& text) {
  // As a blob: the bytes of a text or a blob alike, without a conversion.
  const void* data = sqlite3_column_blob(statement_, column_);
  const int size = sqlite3_column_bytes(statement_, column_);
  text.assign(static_cast<const char*>(data), data ? static_cast<size_t>(size) : 0);
  ++column_;
}

int64_t Statement::take_number() { return sqlite3_column_int64(statement_, column_++); }

bool Statement::next_is_null() const { return sqlite3_column_type(statement_, column_) == SQLITE_NULL; }

Result<Database> Database::open(const std::string& path, Sharing sharing) {
  // SQLite would make it with the umask's mode. An existing file is left unopened here: closing any descriptor of it
  // drops the locks this process holds on it.
  if (!exists(path)) {
    Result<UniqueFd> made = open_file(path, O_RDWR | O_CREAT, 0600);
    if (!made) return std::move(made).error().within("make the database");
  }
  return connect(path, sharing);
}

Result<Database> Database::open_existing(const std::string& path) {
  if (!exists(path)) return Error(ErrorCode::not_found, "the database " + path + " is gone");
  return connect(path, Sharing::with_others);
}

Result<Database> Database::connect(const std::string& path, Sharing sharing) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  if (!handle) return Error(ErrorCode::system, "open the database " + path + ": out of memory");
  Database database(handle, path);
  if (code != SQLITE_OK) return failure(handle, "open the database", path);
  database.set_on_close(OnClose::touch_nothing);
  TRY(database.configure(sharing));
  return database;
}

Result<> Database::configure(Sharing sharing) {
  set_patience(0ms);
  // A damaged or hostile file can at worst fail, never run something or crash us.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // Before the first look at the file, for then it is decided.
  if (sharing == Sharing::alone) TRY(execute("PRAGMA locking_mode = EXCLUSIVE", "open the database"));
  // The size limit makes a log shrink when it starts over, so that its size tells how much is in it.
  return execute(
      "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"
      "PRAGMA secure_delete = FAST; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;"
      "PRAGMA journal_size_limit = 0",
      "open the database");
}

Error Database::last_failure(std::string_view task) const { return failure(handle_, task, path_); }

void Database::set_patience(std::chrono::milliseconds patience) {
  sqlite3_busy_timeout(handle_, static_cast<int>(patience.count()));
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)), cache_(std::move(other.cache_)) {}

Database& Database::operator=(Database&& other) noexcept {
  if (this != &other) {
    close();
    handle_ = std::exchange(other.handle_, nullptr);
    path_ = std::move(other.path_);
    cache_ = std::move(other.cache_);
  }
  return *this;
}

Database::~Database() { close(); }

void Database::close() {
  if (!handle_) return;
  for (auto& [sql, statement] : cache_) sqlite3_finalize(statement);
  cache_.clear();
  // Fails only with a statement still in use, which would then point into nothing.
  CHECK(sqlite3_close(std::exchange(handle_, nullptr)) == SQLITE_OK);
}

Result<Statement> Database::prepare(std::string_view sql, std::string_view task) {
  auto place = cache_.find(sql);
  if (place == cache_.end()) place = cache_.emplace(std::string(sql), nullptr).first;
  sqlite3_stmt* statement = std::exchange(place->second, nullptr);
  errno = 0;
  if (!statement && sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                       &statement, nullptr) != SQLITE_OK) {
    return failure(handle_, task, path_);
  }
  return Statement(statement, &place->second, task);
}

Result<> Database::execute(const std::string& sql, std::string_view task) {
  errno = 0;
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failure(handle_, task, path_);
  }
  return ok;
}

void Database::set_on_close(OnClose choice) {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, choice == OnClose::touch_nothing ? 1 : 0, nullptr);
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

int64_t Database::changes() const { return sqlite3_total_changes64(handle_); }

int64_t Database::last_inserted() const { return sqlite3_last_insert_rowid(handle_); }

std::vector<std::string> Database::prepared() const {
  std::vector<std::string> all;
  for (const auto& [sql, statement] : cache_) all.push_back(sql);
  return all;
}

bool means_locked(const Error& error) { return error.number() == EBUSY; }

bool means_full_disk(const Error& error) { return tells_full_disk(error.number()); }

Result<Transaction> Transaction::begin(Database& database) {
  TRY(TRY(database.prepare("BEGIN IMMEDIATE", "begin a change")).run());
  return Transaction(database);
}

Transaction::~Transaction() {
  // A full disk or a failed write may have rolled it back already.
  if (!database_ || !database_->in_transaction()) return;
  // Should even this fail, nothing is committed and the next transaction says why.
  (void)database_->execute("ROLLBACK", "undo a change");
}

Result<> Transaction::commit() {
  TRY(TRY(database_->prepare("COMMIT", "finish a change")).run());
  database_ = nullptr;
  return ok;
}

}  // namespace talaria
