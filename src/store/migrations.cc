#include "store/migrations.h"

namespace talaria {
namespace {

constexpr Migration all[] = {
    {1, R"sql(
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  workspace TEXT NOT NULL,
  cwd TEXT NOT NULL,
  door TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  persist INTEGER NOT NULL,
  details_json TEXT NOT NULL
) STRICT;
-- Of the live sessions with a name, one per workspace.
CREATE UNIQUE INDEX sessions_by_name ON sessions (name, workspace) WHERE ended_ms IS NULL AND name <> '';

-- A job may outlive its session's row, and be found in a keeper before its session is known: no reference.
-- The output comes last, so that reading the other columns never touches it.
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL CHECK (state IN ('starting', 'running', 'ended', 'lost')),
  session TEXT NOT NULL,
  command TEXT NOT NULL,
  cwd TEXT NOT NULL,
  host TEXT NOT NULL,
  label TEXT NOT NULL,
  name TEXT NOT NULL,
  pid INTEGER NOT NULL,
  tty INTEGER NOT NULL,
  background INTEGER NOT NULL,
  persist INTEGER NOT NULL,
  stdin_open INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  exit_code INTEGER,
  exit_signal INTEGER,
  reason TEXT NOT NULL,
  note TEXT NOT NULL,
  output_bytes INTEGER NOT NULL,
  lost_bytes INTEGER NOT NULL,
  leftovers INTEGER NOT NULL,
  keeper TEXT NOT NULL,
  details_json TEXT NOT NULL,
  output_inline BLOB
) STRICT;
CREATE INDEX jobs_by_session ON jobs (session);
-- None for the unfinished: they are asked for once per start, and each index costs every job two page writes.
CREATE INDEX jobs_finished ON jobs (coalesce(ended_ms, started_ms)) WHERE state IN ('ended', 'lost');

CREATE TABLE reader_offsets (
  job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  reader TEXT NOT NULL,
  offset INTEGER NOT NULL,
  PRIMARY KEY (job, reader)
) STRICT, WITHOUT ROWID;

-- An event may wait for its reader longer than its job is kept: no reference.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  job TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  details_json TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  delivered_ms INTEGER,
  UNIQUE (job, kind, key)
) STRICT;
CREATE INDEX events_undelivered ON events (id) WHERE delivered_ms IS NULL;
)sql"},
    {2, R"sql(
CREATE TABLE agent_places (
  path TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
)sql"},
    {3, R"sql(
CREATE TABLE secret_fingerprints (
  seq INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  length INTEGER NOT NULL,
  rolling INTEGER NOT NULL,
  digest TEXT NOT NULL UNIQUE
) STRICT;
)sql"},
    // Times are of the store's Timeline from here on; a skew is how far the wall clock was ahead of it. Nearly all are
    // 0, which takes no room in a row, so that reading one never goes through the output before it.
    {4, R"sql(
ALTER TABLE jobs ADD COLUMN started_skew_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN ended_skew_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN created_skew_ms INTEGER NOT NULL DEFAULT 0;
)sql"},
    // History may be long, so every list, search and sweep goes by an index in the order it needs.
    {5, R"sql(
DROP INDEX jobs_by_session;
CREATE INDEX jobs_finished_of_session ON jobs (session, coalesce(ended_ms, started_ms))
  WHERE state IN ('ended', 'lost');
-- A short job is recorded once, when it is over: it never enters this one.
CREATE INDEX jobs_unfinished ON jobs (session) WHERE state IN ('starting', 'running');

-- How many finished jobs there are, of each session and of all ('*'). The changes themselves keep it, so it is right
-- whoever is killed in between.
CREATE TABLE job_counts (
  session TEXT PRIMARY KEY,
  finished INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO job_counts SELECT session, count(*) FROM jobs WHERE state IN ('ended', 'lost') GROUP BY session;
INSERT INTO job_counts SELECT '*', coalesce(sum(finished), 0) FROM job_counts;
CREATE TRIGGER jobs_count_new AFTER INSERT ON jobs WHEN NEW.state IN ('ended', 'lost') BEGIN
  INSERT INTO job_counts VALUES (NEW.session, 1) ON CONFLICT (session) DO UPDATE SET finished = finished + 1;
  UPDATE job_counts SET finished = finished + 1 WHERE session = '*';
END;
CREATE TRIGGER jobs_count_end AFTER UPDATE OF state ON jobs
  WHEN NEW.state IN ('ended', 'lost') AND OLD.state NOT IN ('ended', 'lost') BEGIN
  INSERT INTO job_counts VALUES (NEW.session, 1) ON CONFLICT (session) DO UPDATE SET finished = finished + 1;
  UPDATE job_counts SET finished = finished + 1 WHERE session = '*';
END;
CREATE TRIGGER jobs_count_revival AFTER UPDATE OF state ON jobs
  WHEN OLD.state IN ('ended', 'lost') AND NEW.state NOT IN ('ended', 'lost') BEGIN
  UPDATE job_counts SET finished = finished - 1 WHERE session IN (OLD.session, '*');
END;
CREATE TRIGGER jobs_count_gone AFTER DELETE ON jobs WHEN OLD.state IN ('ended', 'lost') BEGIN
  UPDATE job_counts SET finished = finished - 1 WHERE session IN (OLD.session, '*');
  DELETE FROM job_counts WHERE session = OLD.session AND finished = 0;
END;

CREATE INDEX events_undelivered_of_session ON events (session, id) WHERE delivered_ms IS NULL;
CREATE INDEX events_delivered ON events (delivered_ms) WHERE delivered_ms IS NOT NULL;
CREATE INDEX sessions_live ON sessions (workspace, name, last_used_ms) WHERE ended_ms IS NULL;
CREATE INDEX sessions_idle ON sessions (last_used_ms) WHERE ended_ms IS NULL;
CREATE INDEX sessions_ended ON sessions (ended_ms) WHERE ended_ms IS NOT NULL;
)sql"},
    // A session without a name is one client's. Who had made those that are there was not written down: mostly the
    // command line.
    {6, R"sql(
ALTER TABLE sessions ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN slot INTEGER NOT NULL DEFAULT 1;
UPDATE sessions SET client = 'cli' WHERE name = '';
DROP INDEX sessions_live;
CREATE INDEX sessions_live ON sessions (workspace, name, client, slot, last_used_ms) WHERE ended_ms IS NULL;
)sql"},
};

}  // namespace

std::span<const Migration> migrations() { return all; }

int newest_version() { return migrations().back().version; }

Result<int> version_of(Database& database) {
  Statement statement = TRY(database.prepare("PRAGMA user_version", "read the version of the tables"));
  int version = 0;
  if (TRY(statement.step())) statement.read(version);
  return version;
}

Result<> migrate(Database& database, std::span<const Migration> steps) {
  constexpr std::string_view task = "update the tables";
  Transaction transaction = TRY(Transaction::begin(database));
  // Asked inside the transaction: another process may have just done it.
  const int found = TRY(version_of(database));
  for (const Migration& step : steps) {
    if (step.version <= found) continue;
    TRY(database.execute(std::string(step.sql), task));
    TRY(database.execute("PRAGMA user_version = " + std::to_string(step.version), task));
  }
  TRY(database.execute("PRAGMA application_id = " + std::to_string(application_id), task));
  return transaction.commit();
}

}  // namespace talaria
