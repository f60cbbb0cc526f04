// A home with much history: what runs is seen, lists are pieces, and what is old goes.
#include <gmock/gmock.h>

#include "base/id.h"
#include "base/text.h"
#include "product/house.h"
#include "store/store.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int many = 40'000;

// Ended five minutes ago and earlier, the newest number last; every tenth failed, every thousandth has a label.
JobRow old_job(int number, EpochMs now) {
  JobRow row;
  row.id = id_from(static_cast<uint64_t>(number) * 7919 + 1);
  row.session = "history";
  row.command = "make part" + std::to_string(number);
  row.name = "make part";
  row.cwd = "/src";
  row.host = "gateway";
  if (number % 1000 == 0) row.label = "milestone";
  row.state = JobState::ended;
  row.exit_code = number % 10 ? 0 : 127;
  row.ended_ms = now - 300'000 - (many - number);
  row.started_ms = *row.ended_ms - 5;
  row.output_inline = "done\n";
  row.output_bytes = 5;
  return row;
}

class LongHistoryTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(house_.home().prepare());
    Result<Store> store = Store::open(house_.home().database());
    ASSERT_TRUE(store);
    const EpochMs now = epoch_ms();
    ASSERT_TRUE(store->batch([&]() -> Result<> {
      for (int i = 0; i < many; ++i) TRY(store->jobs().insert(old_job(i, now)));
      return ok;
    }));
  }

  JsonObject list(JsonObject arguments) {
    arguments["action"] = "list";
    RpcClient client = house_.connect();
    Result<JsonObject> result = client.call_object("jobs/process", {{"arguments", arguments}});
    EXPECT_TRUE(result);
    return result ? *result : JsonObject();
  }
  static std::vector<std::string> commands(const JsonObject& result) {
    std::vector<std::string> all;
    for (const Json& row : details_of(result).at("sessions").as_array()) {
      all.push_back(text_or(row.as_object(), "command"));
    }
    return all;
  }
  int64_t finished() {
    RpcClient client = house_.connect();
    const Result<JsonObject> status = client.call_object("gateway/status", {});
    return status ? integer_or(status->at("jobs").as_object(), "finished") : -1;
  }

  PlainHouse house_;
};

TEST_F(LongHistoryTest, WhatRunsComesFirstAndTheRestInPieces) {
  const std::string running = id_of(house_.exec("sleep 300", {{"background", true}}));
  const JsonObject listed = list({});
  std::vector<std::string> rows = commands(listed);
  ASSERT_EQ(rows.size(), 21u);
  EXPECT_EQ(rows[0], "sleep 300");
  EXPECT_EQ(rows[1], "make part39999");
  EXPECT_EQ(rows[20], "make part39980");
  EXPECT_THAT(text_of(listed),
              AllOf(StartsWith(running + " running"), HasSubstr("\n… and 39,980 more finished. Next: offset=21. ")));
  EXPECT_EQ(integer_or(details_of(listed), "running"), 1);
  EXPECT_EQ(integer_or(details_of(listed), "finished"), many);
  EXPECT_EQ(integer_or(details_of(listed), "more"), 39'980);

  const JsonObject piece = list({{"limit", 3}, {"offset", 20'000}});
  EXPECT_THAT(commands(piece), testing::ElementsAre("make part20000", "make part19999", "make part19998"));
  EXPECT_EQ(integer_or(details_of(piece), "nextOffset"), 20'003);
  const JsonObject last = list({{"limit", 3}, {"offset", 40'000}});
  EXPECT_THAT(commands(last), testing::ElementsAre("make part0"));
  EXPECT_FALSE(details_of(last).contains("more"));
  EXPECT_EQ(text_of(list({{"offset", 50'000}})), "No more: there are 40,001 jobs in all.");

  EXPECT_THAT(commands(list({{"state", "running"}})), testing::ElementsAre("sleep 300"));
  EXPECT_EQ(integer_or(details_of(list({{"state", "failed"}})), "finished"), many / 10);
  EXPECT_THAT(commands(list({{"text", "PART123"}, {"limit", 1}})), testing::ElementsAre("make part12399"));
  EXPECT_EQ(integer_or(details_of(list({{"text", "milestone"}})), "finished"), many / 1000);
  EXPECT_THAT(commands(list({{"newerThan", 200}})), testing::ElementsAre("sleep 300"));
  EXPECT_EQ(integer_or(details_of(list({{"olderThan", 200}})), "finished"), many);
  EXPECT_EQ(text_of(list({{"text", "nowhere"}})), "No job matches.");

  // An agent sees its own session's, and the counts of it.
  const JsonObject own = house_.process("list", "");
  EXPECT_EQ(integer_or(details_of(own), "finished"), 0);
  EXPECT_EQ(commands(own).size(), 1u);
}

TEST_F(LongHistoryTest, PsShowsAPieceAndSaysWhatItLeavesOut) {
  const Ran some = house_.run({"ps"});
  EXPECT_EQ(split(some.out, '\n').size(), 21u) << some.out;
  EXPECT_THAT(some.err, HasSubstr("… and 39,980 more finished (--all shows them, "));
  const Ran labelled = house_.run({"ps", "--text", "milestone", "--limit", "40"});
  EXPECT_THAT(labelled.out, EndsWith("make part0\n"));
  EXPECT_EQ(labelled.err, "");
  const Ran failed = house_.run({"ps", "-q", "--state", "failed", "--all"});
  EXPECT_EQ(split(failed.out, '\n').size(), static_cast<size_t>(many / 10 + 1));
  const Ran wrong = house_.run({"ps", "--state", "dead"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--state must be running, finished, completed, failed or lost, got \"dead\""));
  const Ran too_many = house_.run({"ps", "--limit", "501"});
  EXPECT_EQ(too_many.code, 2);
  EXPECT_THAT(too_many.err, HasSubstr("--limit must be from 1 to 500, got 501; --offset shows the next ones"));
  EXPECT_EQ(house_.run({"ps", "--running", "--state", "lost"}).code, 2);
}

TEST_F(LongHistoryTest, WhatIsOldGoesInTheBackgroundAndTheCountsStayRight) {
  ASSERT_EQ(house_.run({"config", "set", "exec.job_ttl", "60"}).code, 0);
  const std::string id = id_of(house_.exec("echo kept"));
  await("the sweep to have begun", [&] { return finished() < many; });
  house_.kill_gateway();
  // Calls are answered while the sweep goes on.
  EXPECT_THAT(text_of(house_.process("log", id)), StartsWith("kept"));
  await(
      "the sweep to be over", [&] { return finished() == 50; }, 120s);
  EXPECT_EQ(integer_or(details_of(list({{"limit", 500}})), "finished"), 50);
  EXPECT_EQ(commands(list({{"limit", 500}})).size(), 50u);
  // The very rows, beside what was kept of their number.
  EXPECT_EQ(house_.run({"serve", "--stop"}).code, 0);
  Result<Store> store = Store::open(house_.home().database());
  ASSERT_TRUE(store);
  EXPECT_EQ(store->jobs().finished_ones({}, {.limit = many})->size(), 50u);
  EXPECT_EQ(*store->jobs().count_finished("history"), 49);
}

}  // namespace
}  // namespace talaria
