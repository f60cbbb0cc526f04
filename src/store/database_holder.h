#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// Another process that keeps us from writing a database.
struct DatabaseHolder {
  pid_t pid = 0;
  std::string name{};  // of its program; empty when it cannot be known
  bool operator==(const DatabaseHolder&) const = default;
};

// "sqlite3 (pid 4711)".
std::string shown(const DatabaseHolder& holder);

// Who has the write lock of a database with a write-ahead log, as far as the kernel tells; never ourselves.
std::optional<DatabaseHolder> find_database_holder(const std::string& database);

// The process that holds the byte of that file for writing, by the text of /proc/locks; 0: none.
pid_t lock_owner_in(std::string_view locks, ino_t inode, uint64_t byte, pid_t not_this);

}  // namespace talaria
