// Another process has the database locked: everything goes on, and what is to be kept is stored when it lets go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <optional>
#include <set>
#include <variant>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"
#include "store/database.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LockedDatabaseTest : public testing::Test {
 protected:
  LockedDatabaseTest() { house_.exec("true"); }

  std::string start(const std::string& command) {
    const JsonObject result = house_.exec(command, {{"background", true}});
    EXPECT_EQ(status_of(result), "running") << write_json(result);
    return id_of(result);
  }
  void lock() {
    Result<Database> opened = Database::open(house_.home().database());
    ASSERT_TRUE(opened) << opened.error().message();
    holder_.emplace(*std::move(opened));
    holder_->set_patience(30s);
    ASSERT_TRUE(holder_->execute("BEGIN IMMEDIATE", "hold the database"));
  }
  void let_go() { ASSERT_TRUE(holder_->execute("COMMIT", "let the database go")); }
  bool locked() const { return holder_ && holder_->in_transaction(); }

  int64_t count(const std::string& sql) {
    Result<Statement> statement = holder_->prepare(sql, "count");
    int64_t number = -1;
    if (statement && statement->step()) statement->read(number);
    return number;
  }
  JsonObject status() {
    RpcClient client = house_.connect();
    Result<JsonObject> answer = client.call_object("gateway/status", {});
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? *answer : JsonObject();
  }

  bool listed(const std::string& id) {
    return write_json(details_of(house_.process("list", ""))).find(id) != std::string::npos;
  }
  // What a new listener is told, up to the end of a job that is started for it.
  std::vector<JsonObject> events_told() {
    RpcClient client = house_.connect();
    EXPECT_TRUE(client.call_object("events/subscribe", {{"all", true}}));
    const std::string last = start("echo last; exit 9");
    std::vector<JsonObject> told;
    await("the last event", [&] {
      while (std::optional<RpcMessage> message = client.next()) {
        const auto* notice = std::get_if<RpcNotification>(&*message);
        if (notice && notice->method == "events/event") told.push_back(*object_or_null(notice->params, "event"));
        if (!told.empty() && text_or(told.back(), "job") == last) return true;
      }
      EXPECT_TRUE(client.receive());
      return false;
    });
    return told;
  }

  PlainHouse house_;
  std::optional<Database> holder_;
};

TEST_F(LockedDatabaseTest, StopsNoCallAndIsSaidByStatus) {
  const std::string running = start("echo one; read -r line; echo two; sleep 300");
  house_.process("wait", running, {{"until", "one"}, {"timeout", 20000}});
  lock();
  EXPECT_THAT(write_json(status()), AllOf(HasSubstr("is locked by "), HasSubstr("(pid " + std::to_string(::getpid()))));
  const JsonObject ended = house_.exec("echo three; exit 3");
  EXPECT_EQ(integer_or(details_of(ended), "exitCode"), 3) << write_json(ended);
  EXPECT_EQ(text_or(details_of(house_.process("poll", running)), "output"), "one\n");
  EXPECT_EQ(text_or(details_of(house_.process("poll", running)), "output", "?"), "");
  EXPECT_THAT(text_of(house_.process("log", running)), HasSubstr("one"));
  EXPECT_THAT(text_of(house_.process("list", "")), HasSubstr(running));
  house_.process("kill", running);
  EXPECT_EQ(text_or(details_of(house_.process("poll", running)), "status"), "failed");
  const std::string removed = start("true");
  house_.process("wait", removed, {{"timeout", 20000}});
  EXPECT_TRUE(boolean_or(details_of(house_.process("remove", removed)), "removed"));
  EXPECT_THAT(text_of(house_.process("list", "")), Not(HasSubstr(removed)));
  EXPECT_THAT(text_of(house_.process("poll", removed)), HasSubstr("No job found"));
  ASSERT_TRUE(locked());
  EXPECT_EQ(count("SELECT count(*) FROM jobs WHERE exit_code = 3"), 0);
  let_go();
  await("the rows are stored", [&] {
    return count("SELECT count(*) FROM jobs WHERE exit_code = 3") == 1 &&
           count("SELECT count(*) FROM jobs WHERE id = '" + running + "' AND state = 'ended'") == 1 &&
           count("SELECT count(*) FROM reader_offsets WHERE job = '" + running + "'") == 1;
  });
  EXPECT_EQ(count("SELECT count(*) FROM jobs WHERE id = '" + removed + "'"), 0);
  EXPECT_THAT(write_json(status()), Not(HasSubstr("is locked by ")));
}

TEST_F(LockedDatabaseTest, ANewSessionAndItsEventsAreThereAllTheSameAndStoredLater) {
  RpcClient client = house_.connect();
  lock();
  const std::string other = house_.workspace() + "/other";
  ASSERT_TRUE(make_directories(other));
  const JsonObject session{{"cwd", other}};
  const auto call = [&](JsonObject arguments) {
    Result<JsonObject> result =
        client.call_object("tools/call", {{"name", "exec"}, {"session", session}, {"arguments", std::move(arguments)}});
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : JsonObject();
  };
  EXPECT_EQ(text_or(details_of(call({{"command", "pwd"}})), "status"), "completed");
  ASSERT_TRUE(client.call_object("events/subscribe", {{"all", true}}));
  const JsonObject background = call({{"command", "echo news; exit 4"}, {"background", true}});
  const std::string id = id_of(background);
  std::string told;
  await("the event is told", [&] {
    EXPECT_TRUE(client.receive());
    while (std::optional<RpcMessage> message = client.next()) {
      const auto* notice = std::get_if<RpcNotification>(&*message);
      if (notice && notice->method == "events/event") told = write_json(notice->params);
    }
    return !told.empty();
  });
  EXPECT_THAT(told, AllOf(HasSubstr(id), HasSubstr("news")));
  ASSERT_TRUE(locked());
  EXPECT_EQ(count("SELECT count(*) FROM sessions"), 1);
  let_go();
  await("the session, the job and the event are stored", [&] {
    return count("SELECT count(*) FROM sessions") == 2 &&
           count("SELECT count(*) FROM jobs WHERE id = '" + id + "' AND exit_code = 4") == 1 &&
           count("SELECT count(*) FROM events WHERE job = '" + id + "' AND delivered_ms IS NOT NULL") == 1;
  });
}

TEST_F(LockedDatabaseTest, AGatewayThatDiesMeanwhileIsFollowedByOneThatLosesNothing) {
  const std::string running = start("echo one; sleep 300");
  lock();
  const JsonObject ended = house_.exec("echo three; exit 3");
  const std::string id = id_of(ended);
  house_.kill_gateway();
  // The next one starts beside the lock and has both of the keeper.
  EXPECT_EQ(text_or(details_of(house_.process("poll", running)), "status"), "running");
  EXPECT_EQ(integer_or(details_of(house_.process("poll", id)), "exitCode"), 3);
  EXPECT_EQ(status_of(house_.exec("true")), "completed");
  ASSERT_TRUE(locked());
  let_go();
  await("the row is stored",
        [&] { return count("SELECT count(*) FROM jobs WHERE id = '" + id + "' AND exit_code = 3") == 1; });
}

TEST_F(LockedDatabaseTest, AGatewayThatStopsMeanwhileSaysWhatItCouldNotWrite) {
  lock();
  house_.exec("echo unwritten");
  const Ran stopped = house_.run({"serve", "--stop"});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("not written when the gateway stopped"));
  EXPECT_THAT(*read_file(house_.home().logs() + "/gateway.log"), HasSubstr("not written when the gateway stopped"));
  let_go();
}

TEST_F(LockedDatabaseTest, WhatIsRemovedMeanwhileStaysSoWhenTheGatewayIsKilled) {
  const std::string stored = start("echo stored; exit 1");
  house_.process("wait", stored, {{"timeout", 20000}});
  const std::string running = start("echo one; sleep 300");
  house_.process("wait", running, {{"until", "one"}, {"timeout", 20000}});
  lock();
  ASSERT_EQ(count("SELECT count(*) FROM jobs WHERE id = '" + running + "' AND state = 'running'"), 1);
  const std::string young = start("echo young; exit 1");
  for (const std::string& id : {stored, running, young}) {
    const JsonObject removed = house_.process("remove", id);
    EXPECT_TRUE(boolean_or(details_of(removed), "removed")) << write_json(removed);
    EXPECT_FALSE(details_of(removed).contains("notKept")) << write_json(removed);
  }
  const auto expect_none = [&] {
    for (const std::string& id : {stored, running, young}) {
      EXPECT_FALSE(listed(id));
      EXPECT_THAT(text_of(house_.process("poll", id)), HasSubstr("No job found"));
    }
    for (const JsonObject& event : events_told()) {
      EXPECT_THAT(text_or(event, "job"), AllOf(Not(stored), Not(running), Not(young)));
    }
  };
  house_.kill_gateway();
  expect_none();
  EXPECT_EQ(house_.run({"serve", "--replace"}).code, 0);
  expect_none();
  ASSERT_TRUE(locked());
  let_go();
  await("the rows are gone", [&] {
    return count("SELECT count(*) FROM jobs WHERE id IN ('" + stored + "', '" + running + "', '" + young + "')") == 0;
  });
  house_.kill_gateway();
  expect_none();
}

TEST_F(LockedDatabaseTest, ARemovalThatCannotBeKeptSaysSo) {
  const std::string id = start("true");
  house_.process("wait", id, {{"timeout", 20000}});
  lock();
  const std::string notes = house_.root() + "/talaria.notes";
  ASSERT_TRUE(remove_tree(notes));
  ASSERT_TRUE(make_directories(notes));
  EXPECT_THAT(text_or(details_of(house_.process("remove", id)), "notKept"), HasSubstr("it comes back if"));
  EXPECT_FALSE(listed(id));
  let_go();
}

TEST_F(LockedDatabaseTest, AJobThatWasEndedMeanwhileIsKnownAsThatAndIsNoNews) {
  const auto begun = [&] {
    std::string id = start("echo one; sleep 300");
    house_.process("wait", id, {{"until", "one"}, {"timeout", 20000}});
    return id;
  };
  const std::string first = begun(), second = begun();
  lock();
  const auto expect_ended = [&](const std::string& id) {
    const JsonObject details = details_of(house_.process("poll", id));
    EXPECT_EQ(text_or(details, "status"), "failed") << write_json(details);
    EXPECT_TRUE(boolean_or(details, "stoppedByRequest")) << write_json(details);
  };
  house_.process("kill", first);
  house_.kill_gateway();
  EXPECT_EQ(events_told().size(), 1u);
  expect_ended(first);
  house_.process("kill", second);
  const pid_t keeper = house_.keeper_pid();
  house_.kill_gateway();
  ASSERT_EQ(::kill(keeper, SIGKILL), 0);
  await("the keeper to die", [&] { return state_of(keeper).value_or('Z') == 'Z'; });
  expect_ended(second);
  expect_ended(first);
  let_go();
}

TEST_F(LockedDatabaseTest, WhoWasToldOfAnEndIsNotToldAgainByTheNextGateway) {
  lock();
  house_.exec("echo foreground; exit 1");
  EXPECT_EQ(house_.run({"exec", "echo followed; exit 2"}).code, 2);
  house_.process("wait", start("sleep 0.1; echo waited; exit 3"), {{"timeout", 20000}});
  house_.kill_gateway();
  const std::vector<JsonObject> told = events_told();
  EXPECT_EQ(told.size(), 1u) << write_json(told.front());
  let_go();
}

TEST_F(LockedDatabaseTest, NoTwoEventsHaveTheSameIdWhateverIsKilled) {
  lock();
  std::set<int64_t> ids;
  constexpr size_t kills = 4;
  for (size_t i = 0; i < kills; ++i) {
    const int64_t id = integer_or(events_told().back(), "id");
    EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_LT(id, int64_t{1} << 53);
    house_.kill_gateway();
  }
  let_go();
}

TEST_F(LockedDatabaseTest, ARowThatATriggerRefusesHoldsNoOtherBack) {
  lock();
  ASSERT_TRUE(
      holder_->execute("CREATE TRIGGER no BEFORE INSERT ON jobs WHEN new.command LIKE '%unwanted%' BEGIN SELECT "
                       "RAISE(ABORT, 'unwanted'); END",
                       "make a trigger"));
  let_go();
  const std::string refused = id_of(house_.exec("echo unwanted"));
  const std::string other = id_of(house_.exec("echo welcome"));
  await("the other is stored", [&] { return count("SELECT count(*) FROM jobs WHERE id = '" + other + "'") == 1; });
  EXPECT_THAT(write_json(status()), HasSubstr("1 change cannot be stored (others can)"));
  EXPECT_TRUE(listed(refused));
  ASSERT_TRUE(holder_->execute("DROP TRIGGER no", "drop the trigger"));
  await("it is stored, too", [&] { return count("SELECT count(*) FROM jobs WHERE id = '" + refused + "'") == 1; });
}

TEST_F(LockedDatabaseTest, WhatIsRemovedMeanwhileDoesNotCount) {
  const std::string removed = start("true");
  house_.process("wait", removed, {{"timeout", 20000}});
  const int64_t before = integer_or(status().at("jobs").as_object(), "finished");
  lock();
  EXPECT_TRUE(boolean_or(details_of(house_.process("remove", removed)), "removed"));
  EXPECT_EQ(integer_or(status().at("jobs").as_object(), "finished"), before - 1);
  let_go();
}

}  // namespace
}  // namespace talaria
