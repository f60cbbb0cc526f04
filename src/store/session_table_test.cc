#include "store/session_table.h"

#include <gmock/gmock.h>

#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

using testing::ElementsAre;

SessionRow session(const std::string& id, const std::string& name = "", EpochMs used = 1) {
  return {.id = id, .name = name, .workspace = "/src", .cwd = "/src/a", .door = "cli", .last_used_ms = used};
}

class SessionTableTest : public testing::Test {
 protected:
  SessionTableTest() : store_(*Store::open(folder_.database())), sessions_(store_.sessions()) {}
  void create(const SessionRow& row) { ASSERT_TRUE(sessions_.create(row)); }

  ScratchFolder folder_;
  Store store_;
  SessionTable& sessions_;
};

TEST_F(SessionTableTest, KeepsEveryField) {
  SessionRow row{.id = "s2345678",
                 .name = "work",
                 .workspace = "/src",
                 .cwd = "/src/a",
                 .door = "mcp",
                 .client = "an agent",
                 .slot = 2,
                 .created_ms = 1,
                 .last_used_ms = 2,
                 .ended_ms = 3,
                 .persist = true,
                 .details_json = R"({"a":1})"};
  EXPECT_EQ(*sessions_.create(row), row);
  EXPECT_EQ(*sessions_.find("s2345678"), row);
  row = {.id = "s2345678", .name = "play", .workspace = "/w", .cwd = "/w/b", .door = "cli", .created_ms = 1};
  ASSERT_TRUE(sessions_.save(row));
  EXPECT_EQ(*sessions_.find("s2345678"), row);
}

TEST_F(SessionTableTest, ReturnsTheExistingOneWhenCreatedAgain) {
  create(session("a", "one"));
  EXPECT_EQ(*sessions_.create(session("a", "two")), session("a", "one"));
}

TEST_F(SessionTableTest, AllowsANameOncePerWorkspaceWhileItLives) {
  create(session("a", "one"));
  EXPECT_EQ(sessions_.create(session("b", "one")).error(),
            Error(ErrorCode::conflict,
                  "a session named 'one' is already open in /src (a). Use it, or give the new one another name"));
  EXPECT_TRUE(*sessions_.end("a", 5));
  EXPECT_FALSE(*sessions_.end("a", 6));
  create(session("b", "one"));
  EXPECT_EQ(*sessions_.find_by_key({.name = "one"}, "/src"), session("b", "one"));
  EXPECT_EQ(*sessions_.find_by_key({.name = "one"}, "/other"), std::nullopt);
}

TEST_F(SessionTableTest, TellsTheClientsOfAWorkspaceAndTheirSessionsApart) {
  const auto add = [&](const std::string& id, const std::string& client, int64_t slot) {
    SessionRow row = session(id);
    row.client = client;
    row.slot = slot;
    create(row);
  };
  add("a", "one", 1);
  add("b", "two", 1);
  add("c", "one", 2);
  EXPECT_EQ((*sessions_.find_by_key({.client = "one"}, "/src"))->id, "a");
  EXPECT_EQ((*sessions_.find_by_key({.client = "two"}, "/src"))->id, "b");
  EXPECT_EQ((*sessions_.find_by_key({.client = "one", .slot = 2}, "/src"))->id, "c");
  EXPECT_EQ((*sessions_.find_by_directory({.client = "two"}, "/src/a"))->id, "b");
  EXPECT_EQ(*sessions_.find_by_key({.client = "three"}, "/src"), std::nullopt);
}

TEST_F(SessionTableTest, FindsTheLastUsedOfThoseWithoutAName) {
  create(session("a", "", 5));
  create(session("b", "", 3));
  EXPECT_EQ(*sessions_.find_by_key({}, "/src"), session("a", "", 5));
  ASSERT_TRUE(sessions_.touch("b", 9));
  EXPECT_EQ(*sessions_.find_by_key({}, "/src"), session("b", "", 9));
  EXPECT_EQ(sessions_.touch("c", 9).error().code(), ErrorCode::not_found);
}

TEST_F(SessionTableTest, FindsTheIdleOnesLongestUnusedFirst) {
  create(session("a", "", 2));
  create(session("b", "", 1));
  create(session("c", "", 4));
  SessionRow over = session("d", "", 1);
  over.ended_ms = 4;
  create(over);
  SessionRow persistent = session("e", "", 1);
  persistent.persist = true;
  create(persistent);
  EXPECT_THAT(*sessions_.idle(3, 10), ElementsAre("b", "a"));
  EXPECT_THAT(*sessions_.idle(3, 1), ElementsAre("b"));
}

TEST_F(SessionTableTest, SweepsEndedOnesThatHaveNoJobLeft) {
  using Swept = SessionTable::Swept;
  for (const char* id : {"live", "busy", "done", "gone"}) create(session(id));
  for (const char* id : {"busy", "done", "gone"}) ASSERT_TRUE(sessions_.end(id, 10));
  ASSERT_TRUE(store_.jobs().insert({.id = "j", .session = "busy"}));
  ASSERT_TRUE(store_.jobs().insert({.id = "k", .session = "done", .state = JobState::ended}));
  EXPECT_EQ(*sessions_.sweep(10, 10), (Swept{0, 0}));
  EXPECT_EQ(*sessions_.sweep(11, 2), (Swept{2, 2}));
  EXPECT_EQ(*sessions_.sweep(11, 2, 2), (Swept{1, 0}));
  EXPECT_EQ(*sessions_.find("gone"), std::nullopt);
  ASSERT_TRUE(store_.jobs().remove("j"));
  EXPECT_EQ(*sessions_.sweep(11, 10), (Swept{2, 1}));
  EXPECT_EQ(*sessions_.find("busy"), std::nullopt);
  EXPECT_NE(*sessions_.find("done"), std::nullopt);
}

}  // namespace
}  // namespace talaria
