#include "store/migrations.h"

#include <gmock/gmock.h>

#include "store/scratch_folder.h"
#include "store/session_table.h"

namespace talaria {
namespace {

class MigrationsTest : public testing::Test {
 protected:
  Database open() {
    Result<Database> opened = Database::open(folder_.database());
    CHECK(opened);
    return *std::move(opened);
  }
  static std::vector<std::string> tables(Database& database) {
    Result<Statement> statement =
        database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", "list tables");
    CHECK(statement);
    std::vector<std::string> names;
    while (*statement->step()) statement->read(names.emplace_back());
    return names;
  }

  ScratchFolder folder_;
};

TEST_F(MigrationsTest, AreNumberedFromOneWithoutGaps) {
  int expected = 1;
  for (const Migration& step : migrations()) EXPECT_EQ(step.version, expected++);
  EXPECT_EQ(newest_version(), expected - 1);
}

TEST_F(MigrationsTest, BringAnEmptyFileToTheNewestVersion) {
  Database database = open();
  EXPECT_EQ(*version_of(database), 0);
  Result<> done = migrate(database);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(*version_of(database), newest_version());
  EXPECT_THAT(tables(database),
              testing::ElementsAre("agent_places", "events", "job_counts", "jobs", "meta", "reader_offsets",
                                   "secret_fingerprints", "sessions", "sqlite_sequence"));
  EXPECT_TRUE(migrate(database));
}

TEST_F(MigrationsTest, RunOnlyTheStepsThatAreMissing) {
  const Migration steps[] = {{1, "CREATE TABLE one (a)"}, {2, "CREATE TABLE two (a)"}, {3, "CREATE TABLE three (a)"}};
  Database database = open();
  ASSERT_TRUE(migrate(database, std::span(steps, 1)));
  EXPECT_THAT(tables(database), testing::ElementsAre("one"));
  ASSERT_TRUE(migrate(database, steps));
  EXPECT_THAT(tables(database), testing::ElementsAre("one", "three", "two"));
  EXPECT_EQ(*version_of(database), 3);
}

TEST_F(MigrationsTest, GiveTheSessionsOfBeforeToTheCommandLine) {
  Database database = open();
  ASSERT_TRUE(migrate(database, migrations().first(5)));
  ASSERT_TRUE(
      database.execute("INSERT INTO sessions VALUES (1, 'a', '', '/w', '/w', 'socket', 1, 1, NULL, 0, '{}'), "
                       "(2, 'b', 'review', '/w', '/w', 'socket', 1, 1, NULL, 0, '{}')",
                       "test"));
  ASSERT_TRUE(migrate(database));
  SessionTable sessions(database);
  EXPECT_EQ((*sessions.find_by_key({.client = "cli"}, "/w"))->id, "a");
  EXPECT_EQ((*sessions.find_by_key({.name = "review"}, "/w"))->id, "b");
}

TEST_F(MigrationsTest, LeaveEverythingAsItWasWhenAStepFails) {
  const Migration steps[] = {{1, "CREATE TABLE one (a)"}, {2, "CREATE TABLE two (a)"}, {3, "CREATE GARBAGE"}};
  Database database = open();
  ASSERT_TRUE(migrate(database, std::span(steps, 1)));
  Result<> done = migrate(database, steps);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), testing::HasSubstr("update the tables in " + folder_.database()));
  EXPECT_THAT(tables(database), testing::ElementsAre("one"));
  EXPECT_EQ(*version_of(database), 1);
}

}  // namespace
}  // namespace talaria
