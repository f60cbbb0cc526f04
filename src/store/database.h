#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace talaria {

// One use of a prepared statement: bind, step or run, read. It goes back to its Database's cache when it goes,
// so it must not outlive that Database.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Binds the next parameters, in order: strings, numbers, bools and optionals of those.
  template <class... Values>
  Statement& bind(const Values&... values) {
    (put(values), ...);
    return *this;
  }
  // Binds the next parameter as raw bytes.
  Statement& bind_bytes(const std::optional<std::string>& bytes);

  // Goes to the next row; false when there is none.
  Result<bool> step();
  // Runs to the end without looking at rows; the number of rows changed.
  Result<int64_t> run();

  // Reads the next columns of the current row, in order.
  template <class... Values>
  void read(Values&... values) {
    (take(values), ...);
  }

 private:
  friend class Database;
  Statement(sqlite3_stmt* statement, sqlite3_stmt** home, std::string_view task);

  void put(std::string_view text);
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(const char* text) { put(std::string_view(text)); }
  template <std::integral Number>
  void put(Number number) {
    put_number(static_cast<int64_t>(number));
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    value ? put(*value) : put_null();
  }
  void put_number(int64_t number);
  void put_null();

  void take(std::string& text);
  template <std::integral Number>
  void take(Number& number) {
    const int64_t stored = take_number();
    if constexpr (std::same_as<Number, bool>) {
      number = stored != 0;
    } else {
      number = static_cast<Number>(stored);
    }
  }
  template <class Value>
  void take(std::optional<Value>& value) {
    if (next_is_null()) {
      value.reset();
      ++column_;
    } else {
      take(value.emplace());
    }
  }
  int64_t take_number();
  bool next_is_null() const;

  sqlite3_stmt* statement_;
  sqlite3_stmt** home_;  // where in the cache it lives while unused
  std::string_view task_;
  int parameter_ = 0;
  int column_ = 0;
  int trouble_ = 0;  // the first failed bind, told by the next step
};

// One connection to a SQLite file, for one thread at a time. Errors say what was tried on which file. Their codes:
// `unavailable` the file is damaged or no database, `conflict` someone else has it locked or a constraint refused,
// `denied` no permission, `system` a full disk and other trouble of the machine (with its errno), or of one statement
// (with none).
class Database {
 public:
  // Who may have it open at the same time. Alone, SQLite keeps its index of the log in memory and makes no -shm file.
  enum class Sharing { with_others, alone };
  // Opens the file, or makes it (mode 0600). Sets what belongs to a connection and does not write.
  static Result<Database> open(const std::string& path, Sharing sharing = Sharing::with_others);
  // The same, but makes no file: `not_found` where there is none.
  static Result<Database> open_existing(const std::string& path);
  // How long each statement waits for a lock that someone else holds. Not at all unless this is said: whoever runs a
  // loop must not wait, and tries again.
  void set_patience(std::chrono::milliseconds patience);
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  const std::string& path() const { return path_; }

  // `task` completes errors ("save a job in /x/talaria.db: …") and must outlive the statement, as a literal does.
  // The SQL is compiled the first time only.
  Result<Statement> prepare(std::string_view sql, std::string_view task);
  // Runs one or more statements that need no parameters and give no rows worth reading.
  Result<> execute(const std::string& sql, std::string_view task);

  // What the last connection to go does with the log: leave it (the default here, so that looking at a file does not
  // change it), or move it into the file and delete it.
  enum class OnClose { touch_nothing, merge_log };
  void set_on_close(OnClose choice);

  bool in_transaction() const;
  // Rows changed since the connection was opened.
  int64_t changes() const;
  int64_t last_inserted() const;
  // What was prepared so far.
  std::vector<std::string> prepared() const;

 private:
  friend class DatabaseCopy;
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  static Result<Database> connect(const std::string& path, Sharing sharing);
  Error last_failure(std::string_view task) const;
  Result<> configure(Sharing sharing);
  void close();

  sqlite3* handle_;
  std::string path_;
  std::map<std::string, sqlite3_stmt*, std::less<>> cache_;  // null while in use
};

// Why a change was not made, as far as it is worth trying again.
bool means_locked(const Error& error);
bool means_full_disk(const Error& error);

// All that is written while it lives happens at commit, or not at all.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;  // null once it has ended
};

}  // namespace talaria
