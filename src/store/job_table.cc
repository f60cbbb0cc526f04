#include "store/job_table.h"

#include <tuple>

#include "base/id.h"
#include "base/text.h"

namespace talaria {
namespace {

#define JOB_COLUMNS                                                                                              \
  "id, session, state, command, cwd, host, label, name, pid, tty, background, persist, stdin_open, started_ms, " \
  "ended_ms, exit_code, exit_signal, reason, note, output_bytes, lost_bytes, leftovers, keeper, details_json, "  \
  "started_skew_ms, ended_skew_ms"

constexpr JobState states[] = {JobState::starting, JobState::running, JobState::ended, JobState::lost};

// The columns after id, session and state, for binding and reading alike.
template <class Row>
auto changing_of_job(Row& row) {
  return std::tie(row.command, row.cwd, row.host, row.label, row.name, row.pid, row.tty, row.background, row.persist,
                  row.stdin_open, row.started_ms, row.ended_ms, row.exit_code, row.exit_signal, row.reason, row.note,
                  row.output_bytes, row.lost_bytes, row.leftovers, row.keeper, row.details_json, row.started_skew_ms,
                  row.ended_skew_ms);
}

void bind_changing_of_job(Statement& statement, const JobRow& row) {
  statement.bind(state_name(row.state));
  std::apply([&](const auto&... values) { statement.bind(values...); }, changing_of_job(row));
  statement.bind_bytes(row.output_inline);
}

JobState state_named(std::string_view name) {
  for (const JobState state : states) {
    if (state_name(state) == name) return state;
  }
  return JobState::lost;  // The table allows no other name.
}

JobRow read_job(Statement& statement) {
  JobRow row;
  std::string state;
  statement.read(row.id, row.session, state);
  row.state = state_named(state);
  std::apply([&](auto&... values) { statement.read(values...); }, changing_of_job(row));
  return row;
}

// As the indexes have it, word for word.
#define FINISHED "state IN ('ended', 'lost')"
#define ENDED "coalesce(ended_ms, started_ms)"

// So many ids are looked at for one of a session; in a longer history a short prefix means too many.
constexpr int most_looked_at = 1000;
constexpr size_t most_candidates = 6;

Result<std::vector<JobRow>> read_all(Statement& statement) {
  std::vector<JobRow> rows;
  while (TRY(statement.step())) rows.push_back(read_job(statement));
  return rows;
}

Result<> check_size(const JobRow& row) {
  if (!row.output_inline || row.output_inline->size() <= inline_output_most) return ok;
  return invalid("job " + row.id + ": its output of " + human_bytes(row.output_inline->size()) +
                 " is too long to be kept with its row");
}

Error unknown(const std::string& id) {
  return {ErrorCode::not_found, "no job '" + id +
                                    "': it never was, was removed, or ended too long ago. List the jobs "
                                    "to see those that are known"};
}

// "ab2c3d4e (npm test)".
std::string shown(const JobRow& row) {
  const std::string& title = row.label.empty() ? (row.name.empty() ? row.command : row.name) : row.label;
  if (title.empty()) return row.id;
  return row.id + " (" + (title.size() > 40 ? title.substr(0, 40) + "…" : title) + ")";
}

}  // namespace

std::string_view state_name(JobState state) {
  switch (state) {
    case JobState::starting: return "starting";
    case JobState::running: return "running";
    case JobState::ended: return "ended";
    case JobState::lost: return "lost";
  }
  return "lost";
}

Result<JobRow> JobTable::insert(const JobRow& row) {
  TRY(check_size(row));
  Statement statement =
      TRY(database_->prepare("INSERT INTO jobs (" JOB_COLUMNS
                             ", output_inline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                             "?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                             "record a job"));
  statement.bind(row.id, row.session);
  bind_changing_of_job(statement, row);
  if (TRY(statement.run()) == 1) return row;
  std::optional<JobRow> existing = TRY(find(row.id));
  if (existing) return *std::move(existing);
  return Error(ErrorCode::conflict, "job " + row.id + " was removed while it was recorded");
}

Result<> JobTable::save(const JobRow& row) {
  TRY(check_size(row));
  Statement statement = TRY(database_->prepare(
      "UPDATE jobs SET state = ?, command = ?, cwd = ?, host = ?, label = ?, name = ?, pid = ?, tty = ?, background = "
      "?, persist = ?, stdin_open = ?, started_ms = ?, ended_ms = ?, exit_code = ?, exit_signal = ?, reason = ?, note "
      "= ?, output_bytes = ?, lost_bytes = ?, leftovers = ?, keeper = ?, details_json = ?, started_skew_ms = ?, "
      "ended_skew_ms = ?, output_inline = coalesce(?, output_inline) WHERE id = ?",
      "save a job"));
  bind_changing_of_job(statement, row);
  if (TRY(statement.bind(row.id).run()) == 0) return unknown(row.id);
  return ok;
}

Result<std::optional<JobRow>> JobTable::find(const std::string& id) {
  Statement statement =
      TRY(database_->prepare("SELECT " JOB_COLUMNS ", output_inline FROM jobs WHERE id = ?", "find a job"));
  if (!TRY(statement.bind(id).step())) return std::optional<JobRow>();
  JobRow row = read_job(statement);
  statement.read(row.output_inline);
  return std::optional<JobRow>(std::move(row));
}

Result<JobRow> JobTable::find_by_prefix(const std::string& prefix, const std::optional<std::string>& session) {
  if (prefix.empty()) return invalid("give the id of a job, or the beginning of one");
  // Programs give the whole id, with every call.
  if (prefix.size() == id_length) {
    std::optional<JobRow> row = TRY(find(prefix));
    if (row && (!session || row->session == *session)) return *std::move(row);
  }
  Statement statement = TRY(database_->prepare(
      "SELECT id, session, label, name, command FROM jobs WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", "find a job"));
  // No text has the byte 0xff, so all that begin with the prefix come before it.
  statement.bind(prefix, prefix + "\xff", most_looked_at);
  std::vector<JobRow> candidates;
  int seen = 0;
  while (candidates.size() < most_candidates && TRY(statement.step())) {
    ++seen;
    JobRow row;
    statement.read(row.id, row.session, row.label, row.name, row.command);
    if (!session || row.session == *session) candidates.push_back(std::move(row));
  }
  const bool exact = !candidates.empty() && candidates.front().id == prefix;
  if (seen == most_looked_at && !exact) {
    return Error(ErrorCode::conflict, "more than " + std::to_string(most_looked_at) + " jobs begin with '" + prefix +
                                          "'. Give more of the id");
  }
  if (candidates.empty()) return unknown(prefix);
  if (candidates.size() == 1 || exact) {
    std::optional<JobRow> row = TRY(find(candidates.front().id));
    if (!row) return unknown(prefix);
    return *std::move(row);
  }
  std::vector<std::string> names;
  for (const JobRow& candidate : candidates) names.push_back(shown(candidate));
  if (names.size() == most_candidates) names.back() = "…";
  return Error(ErrorCode::conflict,
               "several jobs begin with '" + prefix + "': " + join(names, ", ") + ". Give more of the id");
}

Result<std::vector<JobRow>> JobTable::unfinished() {
  // Left to itself, SQLite would rather read the whole table than sort these few.
  Statement statement = TRY(database_->prepare(
      "SELECT " JOB_COLUMNS " FROM jobs INDEXED BY jobs_unfinished WHERE state IN ('starting', 'running') ORDER BY seq",
      "list unfinished jobs"));
  return read_all(statement);
}

Result<std::vector<JobRow>> JobTable::finished_ones(const std::optional<std::string>& session, JobPage page) {
  // Two statements, so that each goes by its index.
  constexpr std::string_view of_all =
      "SELECT " JOB_COLUMNS " FROM jobs WHERE " FINISHED " ORDER BY " ENDED " DESC, seq DESC LIMIT ? OFFSET ?";
  constexpr std::string_view of_session = "SELECT " JOB_COLUMNS " FROM jobs WHERE session = ? AND " FINISHED
                                          " ORDER BY " ENDED " DESC, seq DESC LIMIT ? OFFSET ?";
  Statement statement = TRY(database_->prepare(session ? of_session : of_all, "list jobs"));
  if (session) statement.bind(*session);
  statement.bind(page.limit, page.offset);
  return read_all(statement);
}

Result<> JobTable::visit_finished(const std::optional<std::string>& session, EpochMs ended_from,
                                  const std::function<bool(JobRow&&)>& visit) {
  constexpr std::string_view of_all =
      "SELECT " JOB_COLUMNS " FROM jobs WHERE " FINISHED " AND " ENDED " >= ? ORDER BY " ENDED " DESC, seq DESC";
  constexpr std::string_view of_session = "SELECT " JOB_COLUMNS " FROM jobs WHERE session = ? AND " FINISHED
                                          " AND " ENDED " >= ? ORDER BY " ENDED " DESC, seq DESC";
  Statement statement = TRY(database_->prepare(session ? of_session : of_all, "look through the jobs"));
  if (session) statement.bind(*session);
  statement.bind(ended_from);
  while (TRY(statement.step())) {
    if (!visit(read_job(statement))) break;
  }
  return ok;
}

Result<int64_t> JobTable::count_finished(const std::optional<std::string>& session) {
  Statement statement =
      TRY(database_->prepare("SELECT finished FROM job_counts WHERE session = ?", "count finished jobs"));
  int64_t count = 0;
  if (TRY(statement.bind(session.value_or("*")).step())) statement.read(count);
  return count;
}

Result<std::optional<bool>> JobTable::is_over(const std::string& id) {
  Statement statement =
      TRY(database_->prepare("SELECT " FINISHED " AND leftovers = 0 FROM jobs WHERE id = ?", "find a job"));
  if (!TRY(statement.bind(id).step())) return std::optional<bool>();
  bool over = false;
  statement.read(over);
  return std::optional(over);
}

Result<bool> JobTable::remove(const std::string& id) {
  Statement statement = TRY(database_->prepare("DELETE FROM jobs WHERE id = ?", "remove a job"));
  return TRY(statement.bind(id).run()) == 1;
}

Result<std::vector<std::string>> JobTable::old_ones(EpochMs now, int64_t ttl_ms, int keep_newest, JobPage page) {
  Statement statement = TRY(database_->prepare(
      "SELECT id FROM jobs WHERE " FINISHED " AND " ENDED " <= ? AND seq NOT IN (SELECT seq FROM jobs WHERE " FINISHED
      " ORDER BY " ENDED " DESC, seq DESC LIMIT ?) ORDER BY " ENDED ", seq LIMIT ? OFFSET ?",
      "look for old jobs"));
  statement.bind(now - ttl_ms, keep_newest, page.limit, page.offset);
  std::vector<std::string> ids;
  while (TRY(statement.step())) statement.read(ids.emplace_back());
  return ids;
}

Result<uint64_t> JobTable::reader_offset(const std::string& job, const std::string& reader) {
  Statement statement = TRY(database_->prepare("SELECT offset FROM reader_offsets WHERE job = ? AND reader = ?",
                                               "find where a reader stopped"));
  uint64_t offset = 0;
  if (TRY(statement.bind(job, reader).step())) statement.read(offset);
  return offset;
}

Result<> JobTable::set_reader_offset(const std::string& job, const std::string& reader, uint64_t offset) {
  Statement statement = TRY(database_->prepare(
      "INSERT INTO reader_offsets (job, reader, offset) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET offset = "
      "excluded.offset",
      "note where a reader stopped"));
  Result<int64_t> noted = statement.bind(job, reader, offset).run();
  // The only constraint left to break is the one that the job exists.
  if (!noted && noted.error().code() == ErrorCode::conflict && !TRY(find(job))) return unknown(job);
  TRY(std::move(noted));
  return ok;
}

}  // namespace talaria
