#include "api/live_job.h"

#include <gtest/gtest.h>

#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

constexpr int64_t second_ms = 1000, day_ms = 24 * 3600 * second_ms, ns_per_ms = 1'000'000;
constexpr EpochMs noon_ms = 20'000 * day_ms;

// A store that was opened at noon, an hour after the machine was started.
class LiveJobTimesTest : public testing::Test {
 protected:
  LiveJobTimesTest() : store_(*Store::open(folder_.database(), {"this boot", [this] { return reading_; }})) {}

  // Ran for four seconds, ten seconds after noon.
  static JobStatus four_seconds() {
    JobStatus status;
    status.job = "job";
    status.running = false;
    status.boot = "this boot";
    status.started_boot_ns = (3610 * second_ms) * ns_per_ms;
    status.ended_boot_ns = (3614 * second_ms) * ns_per_ms;
    status.started_ms = noon_ms + 10 * second_ms;
    status.ended_ms = noon_ms + 14 * second_ms;
    return status;
  }
  JobRow row_of(const JobStatus& status) {
    JobRow row;
    JobDetails details;
    take_status(row, details, status, store_.timeline());
    return row;
  }

  ScratchFolder folder_;
  ClockReading reading_{noon_ms * ns_per_ms, 3600 * second_ms* ns_per_ms};
  Store store_;
};

TEST_F(LiveJobTimesTest, ARunningTimeIsWhatTheKeeperMeasuredWhateverTheWallClockDid) {
  reading_.boot_ns += 20 * second_ms * ns_per_ms;
  for (const int64_t step : {int64_t{0}, 2 * day_ms, -2 * day_ms}) {
    JobStatus status = four_seconds();
    status.ended_ms += step;  // set while the command ran
    const JobRow row = row_of(status);
    EXPECT_EQ(runtime_ms(row, 0), 4 * second_ms) << step;
    EXPECT_EQ(row.started_ms, noon_ms + 10 * second_ms) << step;
    EXPECT_EQ(started_at(row), status.started_ms) << step;
    EXPECT_EQ(ended_at(row), status.ended_ms) << step;
  }
}

TEST_F(LiveJobTimesTest, WhatAKeeperLeftInAnEarlierBootKeepsItsRunningTime) {
  for (const EpochMs ended : {noon_ms - day_ms, noon_ms + day_ms}) {
    JobStatus status = four_seconds();
    status.boot = "another boot";
    status.started_ms = ended - 2 * day_ms;  // the clock was set forward while it ran
    status.ended_ms = ended;
    const JobRow row = row_of(status);
    EXPECT_EQ(runtime_ms(row, 0), 4 * second_ms);
    EXPECT_EQ(row.ended_ms, std::min(ended, noon_ms));
    EXPECT_EQ(started_at(row), status.started_ms);
    EXPECT_EQ(ended_at(row), ended);
  }
}

TEST_F(LiveJobTimesTest, AnOlderKeepersWallTimesAreTakenAndNeverFromTheFuture) {
  JobStatus status = job_status_from(
      {{"job", "job"}, {"running", false}, {"started_ms", noon_ms - 4 * second_ms}, {"ended_ms", noon_ms - second_ms}});
  EXPECT_EQ(status.boot, "");
  EXPECT_EQ(runtime_ms(row_of(status), 0), 3 * second_ms);
  status.ended_ms = noon_ms + 2 * day_ms;
  EXPECT_EQ(runtime_ms(row_of(status), 0), 4 * second_ms);
  status.started_ms = noon_ms + 3 * day_ms;
  EXPECT_EQ(runtime_ms(row_of(status), 0), 0);
}

TEST_F(LiveJobTimesTest, AStatusKeepsBothClocksOnItsWay) {
  EXPECT_EQ(job_status_from(to_json(four_seconds())), four_seconds());
}

TEST_F(LiveJobTimesTest, WhatTheKeeperSaysOfTheSandboxIsKeptWithTheRow) {
  JobStatus status = four_seconds();
  status.network_tried = NetworkTried::shared;
  status.private_files = {"/home/ada/r.txt"};
  EXPECT_EQ(job_status_from(to_json(status)), status);
  const JobDetails details = details_of(row_of(status));
  EXPECT_EQ(details.network_tried, NetworkTried::shared);
  EXPECT_EQ(details.private_files, JsonArray{"/home/ada/r.txt"});
}

}  // namespace
}  // namespace talaria
