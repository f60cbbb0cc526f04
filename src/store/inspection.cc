#include "store/inspection.h"

#include <sys/stat.h>

#include <cstdio>
#include <ctime>

#include "base/clock.h"
#include "store/migrations.h"

namespace talaria {
namespace {

constexpr std::string_view task = "inspect the database";
constexpr int64_t small_file = 1 << 20;

Result<int64_t> number_from(Database& database, std::string_view sql) {
  Statement statement = TRY(database.prepare(sql, task));
  int64_t number = 0;
  if (TRY(statement.step())) statement.read(number);
  return number;
}

Result<std::optional<Finding>> inspect_owner(Database& database) {
  const int64_t owner = TRY(number_from(database, "PRAGMA application_id"));
  const int64_t tables = TRY(number_from(database, "SELECT count(*) FROM sqlite_schema"));
  const int version = TRY(version_of(database));
  if (owner != application_id && (owner != 0 || version != 0 || tables != 0)) {
    return std::optional<Finding>({"foreign", "is a database of another program"});
  }
  if (version > newest_version()) {
    return std::optional<Finding>({"newer-v" + std::to_string(version),
                                   "was written by a newer Talaria (version " + std::to_string(version) +
                                       " of the tables; this one knows " + std::to_string(newest_version()) + ")"});
  }
  return std::optional<Finding>();
}

Result<std::optional<Finding>> inspect_tables(Database& database) {
  for (const char* table : {"meta", "sessions", "jobs", "reader_offsets", "events"}) {
    const int64_t there = TRY(number_from(
        database, std::string("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '") + table + "'"));
    if (!there) return std::optional<Finding>({"corrupt", std::string("is damaged (it has no table ") + table + ")"});
    TRY(number_from(database, std::string("SELECT 1 FROM ") + table + " LIMIT 1"));
  }
  return std::optional<Finding>();
}

Result<std::optional<Finding>> inspect_pages(Database& database) {
  Statement statement = TRY(database.prepare("PRAGMA quick_check(1)", task));
  std::string answer;
  if (TRY(statement.step())) statement.read(answer);
  if (answer == "ok") return std::optional<Finding>();
  return std::optional<Finding>({"corrupt", "is damaged (" + answer + ")"});
}

std::string utc_stamp() {
  const std::time_t now = static_cast<std::time_t>(epoch_ms() / 1000);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &parts);
  return stamp;
}

constexpr const char* suffixes[] = {"", "-wal", "-shm", "-journal"};

bool taken(const std::string& path) {
  struct stat info {};
  for (const char* suffix : suffixes) {
    if (::lstat((path + suffix).c_str(), &info) == 0) return true;
  }
  return false;
}

}  // namespace

int64_t size_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

Result<std::optional<Finding>> inspect(Database& database) {
  std::optional<Finding> finding = TRY(inspect_owner(database));
  if (finding || TRY(version_of(database)) == 0) return finding;
  finding = TRY(inspect_tables(database));
  if (finding || size_of(database.path()) > small_file) return finding;
  return inspect_pages(database);
}

std::optional<Finding> find_orphaned_log(const std::string& path) {
  if (size_of(path) > 0 || size_of(path + "-wal") == 0) return {};
  return Finding{"corrupt", "is gone, but its log " + path + "-wal is there"};
}

Result<std::string> set_aside(const std::string& path, const std::string& label) {
  const std::string wanted = path + "." + label + "-" + utc_stamp();
  std::string target = wanted;
  for (int again = 2; taken(target); ++again) target = wanted + "-" + std::to_string(again);
  for (const char* suffix : suffixes) {
    if (::rename((path + suffix).c_str(), (target + suffix).c_str()) != 0 && errno != ENOENT) {
      return Error::from_errno("set aside " + path + suffix + " as " + target + suffix);
    }
  }
  return target;
}

}  // namespace talaria
