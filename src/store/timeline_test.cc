#include "store/timeline.h"

#include <gmock/gmock.h>

#include "store/migrations.h"
#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

constexpr int64_t second = 1000, hour = 3600 * second, day = 24 * hour, year = 365 * day;
constexpr EpochMs noon = 20'000 * day + 12 * hour;

// Clocks that a test sets; the boot clock only goes on.
class TimelineTest : public testing::Test {
 protected:
  Clocks clocks() {
    return {boot_, [this] { return ClockReading{wall_ms_ * 1'000'000, boot_ms_ * 1'000'000}; }};
  }
  void pass(int64_t ms) { wall_ms_ += ms, boot_ms_ += ms; }
  void step(int64_t ms) { wall_ms_ += ms; }
  // The machine was off for so long; its clock may have been set meanwhile.
  void reboot(int64_t off_ms, const std::string& boot) {
    wall_ms_ += off_ms;
    boot_ms_ = 10 * second;
    boot_ = boot;
  }
  Store open() {
    Result<Store> opened = Store::open(folder_.database(), clocks());
    CHECK(opened);
    return *std::move(opened);
  }
  static JobRow ended_job(const std::string& id, EpochMs started, EpochMs ended) {
    return {.id = id, .state = JobState::ended, .started_ms = started, .ended_ms = ended};
  }

  ScratchFolder folder_;
  std::string boot_ = "boot-1";
  EpochMs wall_ms_ = noon;
  int64_t boot_ms_ = hour;
};

TEST_F(TimelineTest, BeginsAtTheWallClockAndGoesOnWithoutItsSteps) {
  struct Case {
    const char* what;
    int64_t step_ms;
  };
  const Store store = open();
  EXPECT_EQ(store.timeline().now(), noon);
  EpochMs expected = noon;
  int64_t skew = 0;
  for (const Case& each : {Case{"none", 0}, Case{"forward", 2 * day}, Case{"back", -4 * day}, Case{"far", 80 * year}}) {
    step(each.step_ms);
    pass(5 * second);
    expected += 5 * second;
    skew += each.step_ms;
    EXPECT_EQ(store.timeline().now(), expected) << each.what;
    EXPECT_EQ(store.timeline().skew_ms(), skew) << each.what;
  }
}

TEST_F(TimelineTest, GoesOnAsItWasForTheNextGatewayOfThisBoot) {
  (void)open();
  step(-2 * day);
  pass(hour);
  EXPECT_EQ(open().timeline().now(), noon + hour);
  step(4 * day);
  EXPECT_EQ(open().timeline().now(), noon + hour);
}

TEST_F(TimelineTest, IsSetByTheWallClockOnceInEachBoot) {
  (void)open();
  step(2 * day);
  reboot(hour, "boot-2");
  EXPECT_EQ(open().timeline().now(), noon + 2 * day + hour);
  step(-2 * day);
  pass(second);
  EXPECT_EQ(open().timeline().now(), noon + 2 * day + hour + second);
}

TEST_F(TimelineTest, IsTheWallClockAtEachOpeningWhereTheKernelNamesNoBoot) {
  boot_ = "";
  (void)open();
  step(day);
  EXPECT_EQ(open().timeline().now(), noon + day);
}

TEST_F(TimelineTest, TakesWhatWasNotedOnBothClocks) {
  const Store store = open();
  step(2 * day);
  pass(10 * second);
  const Timeline& timeline = store.timeline();
  const int64_t four_seconds_ago = (boot_ms_ - 4 * second) * 1'000'000;
  struct Case {
    const char* what;
    NotedTime noted;
    EpochMs expected;
  };
  for (const Case& each : {
           Case{"this boot", {"boot-1", four_seconds_ago, wall_ms_}, noon + 6 * second},
           Case{"this boot, by a clock that was ahead",
                {"boot-1", four_seconds_ago, wall_ms_ + year},
                noon + 6 * second},
           Case{"another boot", {"boot-0", four_seconds_ago, noon - hour}, noon - hour},
           Case{"another boot, in the future", {"boot-0", four_seconds_ago, noon + year}, noon + 10 * second},
           Case{"an older keeper", {"", 0, noon - hour}, noon - hour},
           Case{"an older keeper, in the future", {"", 0, noon + day}, noon + 10 * second},
       }) {
    EXPECT_EQ(timeline.of(each.noted), each.expected) << each.what;
  }
}

TEST_F(TimelineTest, BringsBackWhatLiesInTheFutureOfANewBootAndKeepsWhatIsShown) {
  {
    Store store = open();
    ASSERT_TRUE(store.jobs().insert(ended_job("before", noon - hour, noon - second)));
    ASSERT_TRUE(store.jobs().insert(ended_job("after", noon + year, noon + year + 4 * second)));
    ASSERT_TRUE(store.sessions().create({.id = "s", .last_used_ms = noon + year}));
    ASSERT_TRUE(store.events().add({.session = "s", .job = "after", .kind = "exit", .created_ms = noon + year}));
  }
  reboot(hour, "boot-2");
  Store store = open();
  const EpochMs now = noon + hour;
  EXPECT_EQ(**store.jobs().find("before"), ended_job("before", noon - hour, noon - second));
  const JobRow after = **store.jobs().find("after");
  EXPECT_EQ(after.ended_ms, now);
  EXPECT_EQ(runtime_ms(after, now), 4 * second);
  EXPECT_EQ(started_at(after), noon + year);
  EXPECT_EQ(ended_at(after), noon + year + 4 * second);
  EXPECT_EQ((*store.sessions().find("s"))->last_used_ms, now);
  const EventRow event = store.events().undelivered()->front();
  EXPECT_EQ(event.created_ms, now);
  EXPECT_EQ(event.created_ms + event.created_skew_ms, noon + year);
  // It does not live for a year because of that.
  EXPECT_THAT(*store.jobs().old_ones(now + hour, hour, 0, {}), testing::UnorderedElementsAre("before", "after"));
}

TEST_F(TimelineTest, TakesUpRowsOfATalariaThatNotedTheWallClockOnly) {
  {
    Result<Database> database = Database::open(folder_.database());
    ASSERT_TRUE(database);
    ASSERT_TRUE(migrate(*database, migrations().first(3)));
    const std::string values = ", 'ended', 's', '', '', '', '', '', 0, 0, 0, 0, 0, ";
    const std::string rest = ", 0, NULL, '', '', 0, 0, 0, '', '{}', NULL)";
    const auto row = [&](int seq, const std::string& id, EpochMs started, EpochMs ended) {
      return "INSERT INTO jobs VALUES (" + std::to_string(seq) + ", '" + id + "'" + values + std::to_string(started) +
             ", " + std::to_string(ended) + rest;
    };
    ASSERT_TRUE(database->execute(row(1, "past", noon - hour, noon - hour + second), "test"));
    ASSERT_TRUE(database->execute(row(2, "future", noon + day, noon + day + second), "test"));
  }
  Store store = open();
  const JobRow past = **store.jobs().find("past"), future = **store.jobs().find("future");
  EXPECT_EQ(past.ended_ms, noon - hour + second);
  EXPECT_EQ(started_at(past), noon - hour);
  EXPECT_EQ(future.ended_ms, noon);
  EXPECT_EQ(started_at(future), noon + day);
  EXPECT_EQ(runtime_ms(future, noon), second);
}

TEST_F(TimelineTest, WorksWhenItsPlaceCannotBeStored) {
  (void)open();
  reboot(hour, "boot-2");
  Result<Database> other = Database::open(folder_.database());
  ASSERT_TRUE(other);
  Result<Database> database = Database::open(folder_.database());
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->execute("PRAGMA query_only = ON", "test"));
  const Timeline timeline = Timeline::open(*database, clocks());
  pass(second);
  step(day);
  EXPECT_EQ(timeline.now(), noon + hour + second);
}

}  // namespace
}  // namespace talaria
