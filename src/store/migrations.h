#pragma once
#include <span>
#include <string_view>

#include "store/database.h"

namespace talaria {

// What makes a file ours: "Tala" in its header.
inline constexpr int application_id = 0x54616C61;

// One step from a version of the tables to the next. Once released a step never changes; a new one follows it.
struct Migration {
  int version;
  std::string_view sql;
};

// All steps, oldest first; the last one's version is what this program knows.
std::span<const Migration> migrations();
int newest_version();

// The version a file has; 0 is a fresh one.
Result<int> version_of(Database& database);

// Brings the file to the last of `steps`, all of it or nothing.
Result<> migrate(Database& database, std::span<const Migration> steps = migrations());

}  // namespace talaria
