#include "store/job_table.h"

#include <gmock/gmock.h>

#include "store/all_jobs.h"
#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

JobRow job(const std::string& id, const std::string& session = "s") {
  return {.id = id, .session = session, .command = "make " + id, .started_ms = 1000};
}

JobRow ended(const std::string& id, EpochMs when) {
  JobRow row = job(id);
  row.state = JobState::ended;
  row.ended_ms = when;
  row.exit_code = 0;
  return row;
}

JobRow full_row() {
  return {.id = "full2345",
          .session = "s",
          .command = "printf '\xff'",
          .cwd = "/src",
          .host = "gateway",
          .label = "label",
          .name = "printf",
          .state = JobState::ended,
          .pid = 4711,
          .tty = true,
          .background = true,
          .persist = true,
          .stdin_open = true,
          .started_ms = 1000,
          .ended_ms = 2000,
          .exit_code = -1,
          .exit_signal = 15,
          .reason = "timeout",
          .note = "note",
          .output_bytes = 123456789012,
          .lost_bytes = 5,
          .leftovers = 2,
          .keeper = "keeper",
          .details_json = R"({"a":1})",
          .started_skew_ms = -172'800'000,
          .ended_skew_ms = 7,
          .output_inline = std::string("\0\xff raw", 6)};
}

std::vector<std::string> ids(const Result<std::vector<JobRow>>& rows) {
  CHECK(rows);
  std::vector<std::string> found;
  for (const JobRow& row : *rows) found.push_back(row.id);
  return found;
}

class JobTableTest : public testing::Test {
 protected:
  JobTableTest() : store_(*Store::open(folder_.database())), jobs_(store_.jobs()) {}
  void insert(const JobRow& row) { ASSERT_TRUE(jobs_.insert(row)); }

  ScratchFolder folder_;
  Store store_;
  JobTable& jobs_;
};

TEST_F(JobTableTest, KeepsEveryField) {
  insert(full_row());
  EXPECT_EQ(*jobs_.find("full2345"), full_row());
  EXPECT_EQ(*jobs_.find("other234"), std::nullopt);
}

TEST_F(JobTableTest, SavesEveryField) {
  JobRow row = job("full2345");
  insert(row);
  row = full_row();
  ASSERT_TRUE(jobs_.save(row));
  EXPECT_EQ(*jobs_.find(row.id), row);
}

TEST_F(JobTableTest, ReturnsTheExistingJobWhenInsertedAgain) {
  EXPECT_EQ(*jobs_.insert(full_row()), full_row());
  EXPECT_EQ(*jobs_.insert(job("full2345")), full_row());
  EXPECT_THAT(ids(all_jobs(jobs_)), ElementsAre("full2345"));
}

TEST_F(JobTableTest, SavesAListedRowWithoutLosingItsOutput) {
  insert(full_row());
  JobRow listed = all_jobs(jobs_).front();
  EXPECT_EQ(listed.output_inline, std::nullopt);
  listed.note = "changed";
  ASSERT_TRUE(jobs_.save(listed));
  JobRow expected = full_row();
  expected.note = "changed";
  EXPECT_EQ(*jobs_.find(expected.id), expected);
}

TEST_F(JobTableTest, RefusesToSaveAnUnknownJobOrTooMuchOutput) {
  EXPECT_EQ(jobs_.save(job("unknown2")).error().code(), ErrorCode::not_found);
  JobRow row = job("toolong2");
  row.output_inline = std::string(inline_output_most + 1, 'x');
  EXPECT_EQ(jobs_.insert(row).error().code(), ErrorCode::invalid_argument);
  row.output_inline->pop_back();
  insert(row);
  EXPECT_EQ(*jobs_.find(row.id), row);
}

TEST_F(JobTableTest, FindsByUniquePrefix) {
  for (const char* id : {"abcd2345", "abce2345", "xyz23456"}) insert(job(id));
  EXPECT_EQ(*jobs_.find_by_prefix("x"), job("xyz23456"));
  EXPECT_EQ(*jobs_.find_by_prefix("abcd"), job("abcd2345"));
  EXPECT_EQ(*jobs_.find_by_prefix("abce2345"), job("abce2345"));
}

TEST_F(JobTableTest, PrefersTheWholeIdToALongerOne) {
  insert(job("abcd"));
  insert(job("abcd2345"));
  EXPECT_EQ(*jobs_.find_by_prefix("abcd"), job("abcd"));
}

TEST_F(JobTableTest, NamesTheCandidatesOfAnAmbiguousPrefix) {
  insert(job("abcd2345"));
  insert(job("abce2345"));
  EXPECT_EQ(jobs_.find_by_prefix("abc").error(),
            Error(ErrorCode::conflict,
                  "several jobs begin with 'abc': abcd2345 (make abcd2345), abce2345 (make abce2345). Give more of the "
                  "id"));
  for (int i = 2; i < 9; ++i) insert(job("abcf234" + std::to_string(i)));
  EXPECT_THAT(jobs_.find_by_prefix("a").error().message(), HasSubstr(", …. Give more of the id"));
}

TEST_F(JobTableTest, SaysWhichIdIsUnknown) {
  insert(job("abcd2345"));
  for (const char* id : {"abcd23456", "z", "ABCD", "%", "_", "a*"}) {
    Result<JobRow> found = jobs_.find_by_prefix(id);
    ASSERT_FALSE(found) << id;
    EXPECT_EQ(found.error().code(), ErrorCode::not_found);
    EXPECT_THAT(found.error().message(), HasSubstr(std::string("no job '") + id + "'"));
  }
  EXPECT_EQ(jobs_.find_by_prefix("").error().code(), ErrorCode::invalid_argument);
}

TEST_F(JobTableTest, FindsOnlyJobsOfTheSessionAskedFor) {
  insert(job("abcd2345", "mine"));
  insert(job("abce2345", "theirs"));
  EXPECT_EQ(*jobs_.find_by_prefix("abc", "mine"), job("abcd2345", "mine"));
  EXPECT_EQ(jobs_.find_by_prefix("abce2345", "mine").error().code(), ErrorCode::not_found);
}

TEST_F(JobTableTest, ListsFinishedOnesInPiecesTheLastEndedFirst) {
  insert(job("c", "one"));
  JobRow running = job("b", "one");
  running.state = JobState::running;
  insert(running);
  for (const int when : {3000, 5000, 4000}) insert(ended("e" + std::to_string(when), when));
  JobRow lost = ended("lost", 4500);
  lost.state = JobState::lost;
  lost.session = "one";
  insert(lost);
  EXPECT_THAT(ids(jobs_.finished_ones({}, {})), ElementsAre("e5000", "lost", "e4000", "e3000"));
  EXPECT_THAT(ids(jobs_.finished_ones({}, {.limit = 2, .offset = 1})), ElementsAre("lost", "e4000"));
  EXPECT_THAT(ids(jobs_.finished_ones("s", {.limit = 2})), ElementsAre("e5000", "e4000"));
  EXPECT_THAT(ids(jobs_.finished_ones("one", {})), ElementsAre("lost"));
  EXPECT_THAT(ids(jobs_.finished_ones("two", {})), IsEmpty());
  EXPECT_THAT(ids(jobs_.unfinished()), ElementsAre("c", "b"));
}

TEST_F(JobTableTest, VisitsFinishedOnesFromATimeOnUntilToldToStop) {
  for (const int when : {3000, 5000, 4000}) insert(ended("e" + std::to_string(when), when));
  std::vector<std::string> seen;
  const auto all = [&](JobRow&& row) { return seen.push_back(row.id), true; };
  ASSERT_TRUE(jobs_.visit_finished({}, 4000, all));
  ASSERT_TRUE(jobs_.visit_finished("s", 5000, all));
  ASSERT_TRUE(jobs_.visit_finished({}, 0, [&](JobRow&& row) { return seen.push_back(row.id), false; }));
  EXPECT_THAT(seen, ElementsAre("e5000", "e4000", "e5000", "e5000"));
}

TEST_F(JobTableTest, SaysWhetherAJobIsOver) {
  insert(job("starting"));
  insert(ended("over", 2000));
  JobRow leaving = ended("leaving", 2000);
  leaving.leftovers = 1;
  insert(leaving);
  EXPECT_EQ(*jobs_.is_over("starting"), false);
  EXPECT_EQ(*jobs_.is_over("leaving"), false);
  EXPECT_EQ(*jobs_.is_over("over"), true);
  EXPECT_EQ(*jobs_.is_over("unknown"), std::nullopt);
}

TEST_F(JobTableTest, RefusesAPrefixThatMeansTooMany) {
  ASSERT_TRUE(store_.batch([&]() -> Result<> {
    for (int i = 0; i < 1100; ++i) TRY(jobs_.insert(job("ab" + std::to_string(10'000 + i))));
    return ok;
  }));
  insert(job("abz", "mine"));
  EXPECT_EQ(jobs_.find_by_prefix("a", "mine").error(),
            Error(ErrorCode::conflict, "more than 1000 jobs begin with 'a'. Give more of the id"));
  EXPECT_EQ(jobs_.find_by_prefix("abz", "mine")->id, "abz");
  EXPECT_THAT(jobs_.find_by_prefix("ab").error().message(), HasSubstr("several jobs begin with 'ab'"));
}

// --- what is old ---

TEST_F(JobTableTest, CallsOldWhatEndedLongAgoAndNeverWhatRuns) {
  insert(job("starting"));
  insert(ended("old", 10'000));
  insert(ended("edge", 20'000));
  insert(ended("young", 20'001));
  JobRow lost = ended("lost", 5'000);
  lost.state = JobState::lost;
  insert(lost);
  EXPECT_THAT(*jobs_.old_ones(50'000, 30'000, 0, {}), ElementsAre("lost", "old", "edge"));
}

TEST_F(JobTableTest, AgeCountsFromTheEndOfAJobNotItsStart) {
  JobRow row = ended("long", 100'000);
  row.started_ms = 1;
  insert(row);
  EXPECT_THAT(*jobs_.old_ones(100'500, 1'000, 0, {}), IsEmpty());
}

TEST_F(JobTableTest, TheFiftyThatEndedLastAreNotOld) {
  for (int i = 0; i < 60; ++i) insert(ended("job" + std::to_string(100 + i), 1000 - i));
  EXPECT_THAT(*jobs_.old_ones(1'000'000, 1, 50, {}), ElementsAre("job159", "job158", "job157", "job156", "job155",
                                                                 "job154", "job153", "job152", "job151", "job150"));
}

TEST_F(JobTableTest, NamesOldOnesInPiecesLongestEndedFirst) {
  for (int i = 0; i < 5; ++i) insert(ended("job" + std::to_string(i), 1000 - i));
  EXPECT_THAT(*jobs_.old_ones(1'000'000, 1, 1, {.limit = 2}), ElementsAre("job4", "job3"));
  EXPECT_THAT(*jobs_.old_ones(1'000'000, 1, 1, {.limit = 9, .offset = 2}), ElementsAre("job2", "job1"));
}

// --- counts ---

class JobCountTest : public JobTableTest {
 protected:
  int64_t counted(const std::optional<std::string>& session) {
    int64_t count = 0;
    for (const JobRow& row : all_jobs(jobs_)) {
      if (finished(row.state) && (!session || row.session == *session)) ++count;
    }
    return count;
  }
  void expect_right() {
    for (const std::optional<std::string>& session : {std::optional<std::string>(), {"one"}, {"two"}}) {
      EXPECT_EQ(*jobs_.count_finished(session), counted(session)) << session.value_or("all");
    }
  }
};

TEST_F(JobCountTest, FollowsEveryChange) {
  for (const char* session : {"one", "two"}) {
    insert(job(std::string("begun-") + session, session));
    JobRow over = ended(std::string("over-") + session, 2000);
    over.session = session;
    insert(over);
    insert(over);  // again
  }
  expect_right();
  EXPECT_EQ(*jobs_.count_finished(), 2);
  JobRow begun = job("begun-one", "one");
  for (const JobState state :
       {JobState::running, JobState::lost, JobState::ended, JobState::ended, JobState::running}) {
    begun.state = state;
    ASSERT_TRUE(jobs_.save(begun));
    expect_right();
  }
  for (const char* id : {"over-one", "over-one", "begun-two", "over-two"}) ASSERT_TRUE(jobs_.remove(id));
  expect_right();
  EXPECT_EQ(*jobs_.count_finished(), 0);
}

TEST_F(JobCountTest, IsAsItWasAfterAChangeThatDidNotHappen) {
  insert(ended("over", 2000));
  EXPECT_FALSE(store_.batch([&]() -> Result<> {
    TRY(jobs_.insert(ended("another", 2000)));
    TRY(jobs_.remove("over"));
    return invalid("changed its mind");
  }));
  EXPECT_EQ(*jobs_.count_finished(), 1);
  EXPECT_EQ(*jobs_.count_finished("s"), 1);
}

// --- readers ---

TEST_F(JobTableTest, RemembersWhereEachReaderStoppedUntilTheJobGoes) {
  insert(job("abcd2345"));
  EXPECT_EQ(*jobs_.reader_offset("abcd2345", "cli"), 0u);
  ASSERT_TRUE(jobs_.set_reader_offset("abcd2345", "cli", 10));
  ASSERT_TRUE(jobs_.set_reader_offset("abcd2345", "cli", 20));
  ASSERT_TRUE(jobs_.set_reader_offset("abcd2345", "mcp", 5));
  EXPECT_EQ(*jobs_.reader_offset("abcd2345", "cli"), 20u);
  EXPECT_EQ(*jobs_.reader_offset("abcd2345", "mcp"), 5u);
  EXPECT_TRUE(*jobs_.remove("abcd2345"));
  EXPECT_FALSE(*jobs_.remove("abcd2345"));
  insert(job("abcd2345"));
  EXPECT_EQ(*jobs_.reader_offset("abcd2345", "cli"), 0u);
}

TEST_F(JobTableTest, RefusesAReaderOfAnUnknownJob) {
  EXPECT_EQ(jobs_.set_reader_offset("unknown2", "cli", 1).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace talaria
