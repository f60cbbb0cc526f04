#include "store/event_table.h"

namespace talaria {

Result<std::optional<int64_t>> EventTable::add(const EventRow& row) {
  Statement statement = TRY(
      database_->prepare("INSERT INTO events (session, job, kind, key, text, details_json, created_ms, delivered_ms) "
                         "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job, kind, key) DO NOTHING",
                         "record an event"));
  statement.bind(row.session, row.job, row.kind, row.key, row.text, row.details_json, row.created_ms, row.delivered_ms);
  if (TRY(statement.run()) == 0) return std::optional<int64_t>();
  return std::optional<int64_t>(database_->last_inserted());
}

Result<std::vector<EventRow>> EventTable::undelivered(const std::optional<std::string>& session) {
  Statement statement = TRY(
      database_->prepare("SELECT id, session, job, kind, key, text, details_json, created_ms, delivered_ms FROM events "
                         "WHERE delivered_ms IS NULL AND (? OR session = ?) ORDER BY id",
                         "list undelivered events"));
  statement.bind(!session, session.value_or(""));
  std::vector<EventRow> rows;
  while (TRY(statement.step())) {
    EventRow& row = rows.emplace_back();
    statement.read(row.id, row.session, row.job, row.kind, row.key, row.text, row.details_json, row.created_ms,
                   row.delivered_ms);
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

Result<int64_t> EventTable::prune(EpochMs delivered_before, EpochMs created_before) {
  Statement statement =
      TRY(database_->prepare("DELETE FROM events WHERE (delivered_ms < ? OR created_ms < ?) AND NOT EXISTS "
                             "(SELECT 1 FROM jobs WHERE jobs.id = events.job)",
                             "forget old events"));
  return statement.bind(delivered_before, created_before).run();
}

}  // namespace talaria
