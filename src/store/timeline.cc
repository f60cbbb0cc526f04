#include "store/timeline.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "store/meta_table.h"

namespace talaria {
namespace {

constexpr const char* place_key = "timeline";  // "<boot id> <offset in ns>"

// Where an earlier opening in this boot set it.
std::optional<int64_t> stored_offset(Database& database, const std::string& boot) {
  const Result<std::optional<std::string>> place = MetaTable(database).get(place_key);
  if (boot.empty() || !place || !*place || !(*place)->starts_with(boot + " ")) return std::nullopt;
  int64_t offset = 0;
  const char* begin = (*place)->data() + boot.size() + 1;
  const char* end = (*place)->data() + (*place)->size();
  const auto [rest, trouble] = std::from_chars(begin, end, offset);
  if (trouble != std::errc() || rest != end) return std::nullopt;
  return offset;
}

Result<> run_with(Database& database, std::string_view sql, EpochMs now) {
  Statement statement = TRY(database.prepare(sql, "bring times back from the future"));
  TRY(statement.bind(now).run());
  return ok;
}

// What people are shown stays: what a time loses, its skew wins.
Result<> bring_back_from_future(Database& database, EpochMs now) {
  TRY(run_with(database,
               "UPDATE jobs SET started_skew_ms = started_skew_ms + coalesce(ended_ms, started_ms) - ?1, "
               "ended_skew_ms = ended_skew_ms + coalesce(ended_ms, started_ms) - ?1, "
               "started_ms = started_ms - coalesce(ended_ms, started_ms) + ?1, "
               "ended_ms = ended_ms - coalesce(ended_ms, started_ms) + ?1 "
               "WHERE state IN ('ended', 'lost') AND coalesce(ended_ms, started_ms) > ?1",
               now));
  TRY(run_with(database,
               "UPDATE sessions SET last_used_ms = min(last_used_ms, ?1), ended_ms = min(ended_ms, ?1) "
               "WHERE last_used_ms > ?1 OR ended_ms > ?1",
               now));
  return run_with(database,
                  "UPDATE events SET created_skew_ms = created_skew_ms + max(created_ms - ?1, 0), "
                  "created_ms = min(created_ms, ?1), delivered_ms = min(delivered_ms, ?1) "
                  "WHERE created_ms > ?1 OR delivered_ms > ?1",
                  now);
}

Result<> begin_boot(Database& database, const std::string& boot, int64_t offset, EpochMs now) {
  Transaction transaction = TRY(Transaction::begin(database));
  TRY(bring_back_from_future(database, now));
  TRY(MetaTable(database).set(place_key, boot + " " + std::to_string(offset)));
  return transaction.commit();
}

}  // namespace

Timeline Timeline::open(Database& database, Clocks clocks) {
  if (const std::optional<int64_t> offset = stored_offset(database, clocks.boot)) {
    return Timeline(std::move(clocks), *offset);
  }
  const ClockReading now = clocks.read();
  const int64_t offset = now.wall_ns - now.boot_ns;
  (void)begin_boot(database, clocks.boot, offset, now.wall_ms());
  return Timeline(std::move(clocks), offset);
}

EpochMs Timeline::now() const { return at(clocks_.read().boot_ns); }

int64_t Timeline::skew_ms() const {
  const ClockReading reading = clocks_.read();
  return reading.wall_ms() - at(reading.boot_ns);
}

EpochMs Timeline::of(const NotedTime& noted) const {
  return is_of_this_boot(noted) ? at(noted.boot_ns) : std::min(noted.wall_ms, now());
}

}  // namespace talaria
