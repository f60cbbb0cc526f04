#include "store/session_table.h"

#include <tuple>

namespace talaria {
namespace {

#define SESSION_COLUMNS \
  "id, created_ms, name, workspace, cwd, door, client, slot, last_used_ms, ended_ms, persist, details_json"

// The columns after id and created_ms, for binding and reading alike.
template <class Row>
auto changing_of_session(Row& row) {
  return std::tie(row.name, row.workspace, row.cwd, row.door, row.client, row.slot, row.last_used_ms, row.ended_ms,
                  row.persist, row.details_json);
}

void bind_changing_of_session(Statement& statement, const SessionRow& row) {
  std::apply([&](const auto&... values) { statement.bind(values...); }, changing_of_session(row));
}

SessionRow read_session(Statement& statement) {
  SessionRow row;
  statement.read(row.id, row.created_ms);
  std::apply([&](auto&... values) { statement.read(values...); }, changing_of_session(row));
  return row;
}

Result<std::optional<SessionRow>> first(Statement& statement) {
  if (!TRY(statement.step())) return std::optional<SessionRow>();
  return std::optional<SessionRow>(read_session(statement));
}

}  // namespace

Result<SessionRow> SessionTable::create(const SessionRow& row) {
  Statement statement =
      TRY(database_->prepare("INSERT INTO sessions (" SESSION_COLUMNS
                             ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                             "create a session"));
  statement.bind(row.id, row.created_ms);
  bind_changing_of_session(statement, row);
  Result<int64_t> created = statement.run();
  if (!created && created.error().code() == ErrorCode::conflict && !row.name.empty()) {
    std::optional<SessionRow> other = TRY(find_by_key(key_of(row), row.workspace));
    if (other) {
      return Error(ErrorCode::conflict, "a session named '" + row.name + "' is already open in " + row.workspace +
                                            " (" + other->id + "). Use it, or give the new one another name");
    }
  }
  if (TRY(std::move(created)) == 1) return row;
  std::optional<SessionRow> existing = TRY(find(row.id));
  if (existing) return *std::move(existing);
  return Error(ErrorCode::conflict, "session " + row.id + " was removed while it was created");
}

Result<> SessionTable::put(const SessionRow& row) {
  Statement statement = TRY(database_->prepare(
      "INSERT INTO sessions (" SESSION_COLUMNS
      ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, workspace = "
      "excluded.workspace, cwd = excluded.cwd, door = excluded.door, client = excluded.client, slot = excluded.slot, "
      "last_used_ms = excluded.last_used_ms, ended_ms = "
      "excluded.ended_ms, persist = excluded.persist, details_json = excluded.details_json",
      "save a session"));
  statement.bind(row.id, row.created_ms);
  bind_changing_of_session(statement, row);
  TRY(statement.run());
  return ok;
}

Result<> SessionTable::save(const SessionRow& row) {
  Statement statement = TRY(database_->prepare(
      "UPDATE sessions SET name = ?, workspace = ?, cwd = ?, door = ?, client = ?, slot = ?, last_used_ms = ?, "
      "ended_ms = ?, persist = ?, details_json = ? WHERE id = ?",
      "save a session"));
  bind_changing_of_session(statement, row);
  statement.bind(row.id);
  if (TRY(statement.run()) == 0) return Error(ErrorCode::not_found, "no session " + row.id);
  return ok;
}

Result<std::optional<SessionRow>> SessionTable::find(const std::string& id) {
  Statement statement =
      TRY(database_->prepare("SELECT " SESSION_COLUMNS " FROM sessions WHERE id = ?", "find a session"));
  return first(statement.bind(id));
}

Result<std::optional<SessionRow>> SessionTable::find_by_key(const SessionKey& key, const std::string& workspace) {
  Statement statement =
      TRY(database_->prepare("SELECT " SESSION_COLUMNS
                             " FROM sessions WHERE workspace = ? AND name = ? AND client = ? AND slot = ? AND ended_ms "
                             "IS NULL ORDER BY last_used_ms DESC, seq DESC LIMIT 1",
                             "find a session"));
  return first(statement.bind(workspace, key.name, key.client, key.slot));
}

Result<std::optional<SessionRow>> SessionTable::find_by_directory(const SessionKey& key, const std::string& cwd) {
  Statement statement =
      TRY(database_->prepare("SELECT " SESSION_COLUMNS
                             " FROM sessions WHERE cwd = ? AND name = ? AND client = ? AND slot = ? AND ended_ms IS "
                             "NULL ORDER BY last_used_ms DESC, seq DESC LIMIT 1",
                             "find a session"));
  return first(statement.bind(cwd, key.name, key.client, key.slot));
}

Result<> SessionTable::touch(const std::string& id, EpochMs now) {
  Statement statement =
      TRY(database_->prepare("UPDATE sessions SET last_used_ms = ? WHERE id = ?", "note the use of a session"));
  if (TRY(statement.bind(now, id).run()) == 0) return Error(ErrorCode::not_found, "no session " + id);
  return ok;
}

Result<bool> SessionTable::end(const std::string& id, EpochMs now) {
  Statement statement =
      TRY(database_->prepare("UPDATE sessions SET ended_ms = ? WHERE id = ? AND ended_ms IS NULL", "end a session"));
  return TRY(statement.bind(now, id).run()) == 1;
}

Result<std::vector<std::string>> SessionTable::idle(EpochMs before, int most) {
  Statement statement = TRY(database_->prepare(
      "SELECT id FROM sessions WHERE ended_ms IS NULL AND last_used_ms <= ? AND persist = 0 ORDER BY last_used_ms "
      "LIMIT ?",
      "look for idle sessions"));
  statement.bind(before, most);
  std::vector<std::string> ids;
  while (TRY(statement.step())) statement.read(ids.emplace_back());
  return ids;
}

Result<SessionTable::Swept> SessionTable::sweep(EpochMs before, int most, int64_t skip) {
  Statement statement = TRY(database_->prepare(
      "SELECT id, EXISTS (SELECT 1 FROM jobs WHERE session = sessions.id AND state IN ('ended', 'lost')) OR EXISTS "
      "(SELECT 1 FROM jobs WHERE session = sessions.id AND state IN ('starting', 'running')) FROM sessions WHERE "
      "ended_ms < ? ORDER BY ended_ms, seq LIMIT ? OFFSET ?",
      "look for ended sessions"));
  statement.bind(before, most, skip);
  Swept swept;
  std::vector<std::string> ids;
  while (TRY(statement.step())) {
    std::string id;
    bool has_job = false;
    statement.read(id, has_job);
    ++swept.seen;
    if (has_job) ++swept.left;
    else ids.push_back(std::move(id));
  }
  for (const std::string& id : ids) {
    TRY(TRY(database_->prepare("DELETE FROM sessions WHERE id = ?", "forget an ended session")).bind(id).run());
  }
  return swept;
}

}  // namespace talaria
