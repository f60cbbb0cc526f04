#pragma once
#include <optional>
#include <string>

#include "store/database.h"

namespace talaria {

// Why a database file cannot be used as it is.
struct Finding {
  std::string label;   // for its new name: "corrupt", "newer-v7"
  std::string reason;  // completes "talaria.db …": "is damaged (…)"

  bool operator==(const Finding&) const = default;
};

// What keeps us from using this file, if anything. Cheap: the header, the schema, the top of each table, and every
// page only while the file is small. Damage may also come back as an `unavailable` error.
Result<std::optional<Finding>> inspect(Database& database);

// A log without the file it belongs to, which SQLite would delete.
std::optional<Finding> find_orphaned_log(const std::string& path);

// Renames the file and what belongs to it (-wal, -shm, -journal) to "<path>.<label>-<UTC time>", never over another
// file. Nothing may have it open. Returns its new path.
Result<std::string> set_aside(const std::string& path, const std::string& label);

// Bytes in the file; 0 when it is absent.
int64_t size_of(const std::string& path);

}  // namespace talaria
