#include "api/job_query.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "base/check.h"
#include "os/file.h"
#include "store/store.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr EpochMs now = 1'000'000;

Result<JobQuery> query_from(JsonObject arguments) {
  arguments["action"] = "list";
  const Result<ProcessArguments> parsed = parse_process_arguments(arguments);
  if (!parsed) return parsed.error();
  return job_query(*parsed, std::nullopt, now);
}

JobRow row(const std::string& id, JobState state, std::optional<int> code = {}) {
  return {.id = id,
          .session = "s",
          .command = "npm run Test",
          .label = "Web",
          .name = "npm run",
          .state = state,
          .started_ms = now - 60'000,
          .ended_ms = finished(state) ? std::optional(now - 30'000) : std::nullopt,
          .exit_code = code};
}

TEST(JobQueryTest, ReadsEveryFilter) {
  EXPECT_EQ(*query_from({}), JobQuery());
  JobQuery expected;
  expected.state = "failed";
  expected.text = "npm";
  expected.started_from = now - 3600'000;
  expected.started_until = now - 1500;
  expected.limit = 500;
  expected.offset = 7;
  EXPECT_EQ(*query_from({{"state", "failed"},
                         {"text", "NPM"},
                         {"newerThan", 3600},
                         {"olderThan", 1.5},
                         {"limit", 500},
                         {"offset", 7}}),
            expected);
}

TEST(JobQueryTest, ErrorsNameTheField) {
  EXPECT_THAT(query_from({{"state", "dead"}}).error().message(),
              HasSubstr("\"state\" must be running, finished, completed, failed or lost, got \"dead\""));
  EXPECT_THAT(query_from({{"limit", 501}}).error().message(), HasSubstr("\"limit\" must be at most 500 for list"));
  EXPECT_THAT(query_from({{"limit", 0}}).error().message(), HasSubstr("\"limit\""));
  EXPECT_THAT(query_from({{"offset", -1}}).error().message(), HasSubstr("\"offset\""));
  EXPECT_THAT(query_from({{"newerThan", -1}}).error().message(), HasSubstr("\"newerThan\""));
  EXPECT_THAT(query_from({{"olderThan", "long"}}).error().message(), HasSubstr("\"olderThan\""));
}

TEST(JobQueryTest, MatchesByStateTextAndAge) {
  const JobRow running = row("a", JobState::running), completed = row("b", JobState::ended, 1);
  const JobRow failed = row("c", JobState::ended, 127), lost = row("d", JobState::lost);
  const auto matching = [&](JsonObject arguments) {
    std::string found;
    for (const JobRow& job : {running, completed, failed, lost}) {
      if (matches(*query_from(arguments), job)) found += job.id;
    }
    return found;
  };
  EXPECT_EQ(matching({}), "abcd");
  EXPECT_EQ(matching({{"state", "running"}}), "a");
  EXPECT_EQ(matching({{"state", "finished"}}), "bcd");
  EXPECT_EQ(matching({{"state", "completed"}}), "b");
  EXPECT_EQ(matching({{"state", "failed"}}), "c");
  EXPECT_EQ(matching({{"state", "lost"}}), "d");
  EXPECT_EQ(matching({{"text", "test"}}), "abcd");
  EXPECT_EQ(matching({{"text", "WEB"}}), "abcd");
  EXPECT_EQ(matching({{"text", "make"}}), "");
  EXPECT_EQ(matching({{"newerThan", 60}}), "abcd");
  EXPECT_EQ(matching({{"newerThan", 59}}), "");
  EXPECT_EQ(matching({{"olderThan", 60}}), "abcd");
  EXPECT_EQ(matching({{"olderThan", 61}}), "");
}

class FindFinishedTest : public testing::Test {
 protected:
  FindFinishedTest() {
    char pattern[] = "/tmp/talaria-query-XXXXXX";
    CHECK(::mkdtemp(pattern));
    folder_ = pattern;
    store_.emplace(*Store::open(path()));
    for (int i = 0; i < 9; ++i) {
      JobRow job = row("job" + std::to_string(i), i % 3 ? JobState::ended : JobState::lost, 0);
      job.ended_ms = now - i;
      job.command = i < 6 ? "make" : "npm";
      job.session = i % 2 ? "odd" : "even";
      CHECK(store_->jobs().insert(job));
    }
    CHECK(store_->jobs().insert(row("live", JobState::running)));
  }
  ~FindFinishedTest() override { (void)remove_tree(folder_); }

  std::string path() const { return folder_ + "/talaria.db"; }
  // Their numbers, and how many there are in all.
  std::string find(const JobQuery& query, JobPage page) {
    const std::atomic<bool> cancelled = false;
    const Result<FoundJobs> found = find_finished(path(), query, page, cancelled);
    CHECK(found);
    std::string text;
    for (const JobRow& job : found->rows) text += job.id.substr(3);
    return text + " of " + std::to_string(found->total);
  }

  std::string folder_;
  std::optional<Store> store_;
};

TEST_F(FindFinishedTest, GivesAPieceAndHowManyThereAre) {
  EXPECT_EQ(find({}, {.limit = 3, .offset = 2}), "234 of 9");
  EXPECT_EQ(find({.session = "odd"}, {.limit = 3, .offset = 2}), "57 of 4");
  EXPECT_EQ(find({.state = "lost"}, {.limit = 9}), "036 of 3");
  EXPECT_EQ(find({.session = "even", .text = "make"}, {.limit = 2, .offset = 1}), "24 of 3");
  EXPECT_EQ(find({.text = "nowhere"}, {}), " of 0");
}

}  // namespace
}  // namespace talaria
