#include "store/event_table.h"

namespace talaria {

Result<std::optional<int64_t>> EventTable::add(const EventRow& row) {
  Statement statement = TRY(
      database_->prepare("INSERT INTO events (session, job, kind, key, text, details_json, created_ms, delivered_ms, "
                         "created_skew_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job, kind, key) DO NOTHING",
                         "record an event"));
  statement.bind(row.session, row.job, row.kind, row.key, row.text, row.details_json, row.created_ms, row.delivered_ms,
                 row.created_skew_ms);
  if (TRY(statement.run()) == 0) return std::optional<int64_t>();
  return std::optional<int64_t>(database_->last_inserted());
}

Result<> EventTable::put(const EventRow& row) {
  Statement statement = TRY(database_->prepare(
      "INSERT INTO events (id, session, job, kind, key, text, details_json, created_ms, delivered_ms, created_skew_ms) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      "record an event"));
  statement.bind(row.id, row.session, row.job, row.kind, row.key, row.text, row.details_json, row.created_ms,
                 row.delivered_ms, row.created_skew_ms);
  TRY(statement.run());
  return ok;
}

Result<int64_t> EventTable::last_id() {
  Statement statement =
      TRY(database_->prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'", "number an event"));
  int64_t id = 0;
  if (TRY(statement.step())) statement.read(id);
  return id;
}

Result<bool> EventTable::known(const std::string& job, const std::string& kind, const std::string& key) {
  Statement statement =
      TRY(database_->prepare("SELECT 1 FROM events WHERE job = ? AND kind = ? AND key = ?", "find an event"));
  return statement.bind(job, kind, key).step();
}

Result<bool> EventTable::is_undelivered(int64_t id) {
  Statement statement =
      TRY(database_->prepare("SELECT 1 FROM events WHERE id = ? AND delivered_ms IS NULL", "find an event"));
  return statement.bind(id).step();
}

Result<std::vector<EventRow>> EventTable::undelivered(const std::optional<std::string>& session, int64_t after,
                                                      int most) {
#define EVENT_COLUMNS "id, session, job, kind, key, text, details_json, created_ms, delivered_ms, created_skew_ms"
  // Two statements, so that each goes by its index.
  constexpr std::string_view of_all =
      "SELECT " EVENT_COLUMNS " FROM events WHERE delivered_ms IS NULL AND id > ? ORDER BY id LIMIT ?";
  constexpr std::string_view of_session =
      "SELECT " EVENT_COLUMNS " FROM events WHERE session = ? AND delivered_ms IS NULL AND id > ? ORDER BY id LIMIT ?";
  Statement statement = TRY(database_->prepare(session ? of_session : of_all, "list undelivered events"));
  if (session) statement.bind(*session);
  statement.bind(after, most);
  std::vector<EventRow> rows;
  while (TRY(statement.step())) {
    EventRow& row = rows.emplace_back();
    statement.read(row.id, row.session, row.job, row.kind, row.key, row.text, row.details_json, row.created_ms,
                   row.delivered_ms, row.created_skew_ms);
  }
  return rows;
}

Result<bool> EventTable::mark_delivered(int64_t id, EpochMs now) {
  Statement statement = TRY(database_->prepare(
      "UPDATE events SET delivered_ms = ? WHERE id = ? AND delivered_ms IS NULL", "mark an event as delivered"));
  return TRY(statement.bind(now, id).run()) == 1;
}

Result<> EventTable::withdraw(const std::string& job, EpochMs now) {
  Statement statement = TRY(database_->prepare(
      "UPDATE events SET delivered_ms = ? WHERE job = ? AND delivered_ms IS NULL", "withdraw a job's events"));
  TRY(statement.bind(now, job).run());
  return ok;
}

Result<std::vector<int64_t>> EventTable::untold_ends(const std::string& session, const std::string& job) {
  Statement statement = TRY(database_->prepare(
      "SELECT id FROM events WHERE job = ? AND session = ? AND kind <> 'pattern' AND delivered_ms IS NULL",
      "find the news of a job's end"));
  statement.bind(job, session);
  std::vector<int64_t> ids;
  while (TRY(statement.step())) statement.read(ids.emplace_back());
  return ids;
}

Result<> EventTable::forget_job(const std::string& job) {
  Statement statement =
      TRY(database_->prepare("DELETE FROM events WHERE job = ? AND delivered_ms IS NOT NULL", "forget a job's events"));
  TRY(statement.bind(job).run());
  return ok;
}

Result<int64_t> EventTable::give_up(EpochMs created_before, int keep, EpochMs now, int most) {
  Statement newest = TRY(database_->prepare(
      "SELECT id FROM events WHERE delivered_ms IS NULL ORDER BY id DESC LIMIT 1 OFFSET ?", "look for old events"));
  int64_t too_many = 0;  // up to this id
  if (TRY(newest.bind(keep).step())) newest.read(too_many);
  Statement statement = TRY(database_->prepare(
      "UPDATE events SET delivered_ms = ? WHERE id IN (SELECT id FROM (SELECT id, created_ms FROM events WHERE "
      "delivered_ms IS NULL ORDER BY id LIMIT ?) WHERE created_ms < ? OR id <= ?)",
      "give up old events"));
  return statement.bind(now, most, created_before, too_many).run();
}

Result<EventTable::PrunePlace> EventTable::prune(EpochMs delivered_before, PrunePlace place, int most) {
  Statement statement = TRY(database_->prepare(
      "SELECT id, delivered_ms, EXISTS (SELECT 1 FROM jobs WHERE jobs.id = events.job) FROM events WHERE "
      "delivered_ms IS NOT NULL AND delivered_ms < ? AND (delivered_ms, id) > (?, ?) ORDER BY delivered_ms, id LIMIT ?",
      "look for old events"));
  statement.bind(delivered_before, place.delivered_ms, place.id, most);
  std::vector<int64_t> gone;
  while (TRY(statement.step())) {
    bool has_job = false;
    statement.read(place.id, place.delivered_ms, has_job);
    if (!has_job) gone.push_back(place.id);
  }
  for (const int64_t id : gone) {
    TRY(TRY(database_->prepare("DELETE FROM events WHERE id = ?", "forget old events")).bind(id).run());
  }
  return place;
}

}  // namespace talaria
