// History may be long: no statement may read all of it.
#include <gmock/gmock.h>

#include "store/agent_place_table.h"
#include "store/event_table.h"
#include "store/job_table.h"
#include "store/migrations.h"
#include "store/scratch_folder.h"
#include "store/session_table.h"

namespace talaria {
namespace {

void use_jobs(Database& database) {
  JobTable jobs(database);
  EXPECT_TRUE(jobs.insert({.id = "a", .session = "s", .state = JobState::ended}));
  EXPECT_TRUE(jobs.save({.id = "a", .session = "s", .state = JobState::ended}));
  EXPECT_TRUE(jobs.set_reader_offset("a", "r", 1));
  EXPECT_TRUE(jobs.reader_offset("a", "r"));
  EXPECT_TRUE(jobs.find_by_prefix("a"));
  EXPECT_TRUE(jobs.unfinished());
  for (const std::optional<std::string>& session : {std::optional<std::string>(), {"s"}}) {
    EXPECT_TRUE(jobs.finished_ones(session, {}));
    EXPECT_TRUE(jobs.visit_finished(session, 0, [](JobRow&&) { return true; }));
    EXPECT_TRUE(jobs.count_finished(session));
  }
  EXPECT_TRUE(jobs.is_over("a"));
  EXPECT_TRUE(jobs.old_ones(1, 1, 1, {}));
  EXPECT_TRUE(jobs.remove("a"));
}

void use_events(Database& database) {
  EventTable events(database);
  EXPECT_TRUE(events.add({.session = "s", .job = "a", .kind = "exit"}));
  EXPECT_TRUE(events.undelivered());
  EXPECT_TRUE(events.undelivered("s"));
  EXPECT_TRUE(events.mark_delivered(1, 1));
  EXPECT_TRUE(events.withdraw("a", 1));
  EXPECT_TRUE(events.untold_ends("s", "a"));
  EXPECT_TRUE(events.put({.id = 7, .session = "s", .job = "b", .kind = "exit"}));
  EXPECT_TRUE(events.known("a", "exit", ""));
  EXPECT_TRUE(events.is_undelivered(1));
  EXPECT_TRUE(events.give_up(1, 1, 1));
  EXPECT_TRUE(events.prune(2, {}));
  EXPECT_TRUE(events.forget_job("a"));
}

void use_sessions(Database& database) {
  SessionTable sessions(database);
  EXPECT_TRUE(sessions.create({.id = "s"}));
  EXPECT_TRUE(sessions.save({.id = "s"}));
  EXPECT_TRUE(sessions.put({.id = "s"}));
  EXPECT_TRUE(sessions.find("s"));
  EXPECT_TRUE(sessions.find_by_key({.client = "c"}, "/src"));
  EXPECT_TRUE(sessions.touch("s", 1));
  EXPECT_TRUE(sessions.idle(1, 1));
  EXPECT_TRUE(sessions.end("s", 1));
  EXPECT_TRUE(sessions.sweep(2, 1));
}

// What reads a whole table, or sorts, though an index has the order.
std::vector<std::string> slow_steps(Database& database, const std::string& sql) {
  Result<Statement> plan = database.prepare("EXPLAIN QUERY PLAN " + sql, "explain");
  CHECK(plan);
  std::vector<std::string> slow;
  while (*plan->step()) {
    int64_t id = 0, parent = 0, unused = 0;
    std::string detail;
    plan->read(id, parent, unused, detail);
    const bool whole = detail.starts_with("SCAN ") && !detail.starts_with("SCAN (") &&
                       detail.find(" USING ") == std::string::npos && detail != "SCAN CONSTANT ROW";
    const bool sorts = detail.starts_with("USE TEMP B-TREE FOR ORDER BY") && sql.find("jobs_unfinished") == sql.npos;
    if (whole || sorts) slow.push_back(detail);
  }
  return slow;
}

// Every call that names a job asks for it, most of them more than once.
TEST(QueryPlanTest, AWholeIdIsFoundByOneStatement) {
  const ScratchFolder folder;
  Result<Database> database = Database::open(folder.database());
  ASSERT_TRUE(database && migrate(*database));
  JobTable jobs(*database);
  ASSERT_TRUE(jobs.insert({.id = "ab2c3d4e", .session = "s", .state = JobState::ended}));
  const size_t before = database->prepared().size();
  EXPECT_EQ(jobs.find_by_prefix("ab2c3d4e", "s")->id, "ab2c3d4e");
  EXPECT_EQ(database->prepared().size(), before + 1);
  EXPECT_FALSE(jobs.find_by_prefix("ab2c3d4e", "another"));
}

TEST(QueryPlanTest, EveryStatementGoesByAnIndex) {
  const ScratchFolder folder;
  Result<Database> database = Database::open(folder.database());
  ASSERT_TRUE(database && migrate(*database));
  use_jobs(*database);
  use_events(*database);
  use_sessions(*database);
  const std::vector<std::string> statements = database->prepared();
  EXPECT_GE(statements.size(), 30u);
  for (const std::string& sql : statements) {
    if (sql.starts_with("PRAGMA")) continue;
    EXPECT_THAT(slow_steps(*database, sql), testing::IsEmpty()) << sql;
  }
}

}  // namespace
}  // namespace talaria
