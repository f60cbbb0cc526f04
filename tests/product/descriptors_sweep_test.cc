// Every limit of open files from 20 to 120: who cannot start says so; who has started neither hangs nor dies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "product/low_house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

constexpr int values_per_test = 10;

class DescriptorsSweepTest : public testing::TestWithParam<int> {};

// Background jobs until one is refused; the ids of those that run.
std::vector<std::string> start_until_refused(LowHouse& house, int open_files) {
  RpcClient client = house.connect();
  std::vector<std::string> jobs;
  while (jobs.size() < 120) {
    const Result<std::string> job = house.start_job(client, "exec sleep 1000");
    if (!job) {
      const std::string limit = "the keeper's limit of open files (" + std::to_string(open_files) + ")";
      EXPECT_THAT(job.error().message(), HasSubstr(limit));
      return jobs;
    }
    jobs.push_back(*job);
  }
  ADD_FAILURE() << "no job was refused";
  return jobs;
}

void live_with(int open_files) {
  SCOPED_TRACE(open_files);
  LowHouse house;
  const Ran first = house.run_with(open_files, "exec 'echo served'");
  if (first.code != 0) {
    EXPECT_LT(open_files, 44) << first.err;
    EXPECT_THAT(first.err, HasSubstr("the limit of open files is " + std::to_string(open_files)));
    return;
  }
  EXPECT_EQ(first.out, "served\n");
  const pid_t gateway = house.gateway_pid(), keeper = house.keeper_pid();
  const std::vector<std::string> jobs = start_until_refused(house, open_files);
  ASSERT_FALSE(jobs.empty());
  const Ran listed = house.run({"ps"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_EQ(status_of(house.process("poll", jobs.front())), "running");
  EXPECT_EQ(status_of(house.process("kill", jobs.front())), "failed");
  EXPECT_EQ(text_of(house.exec("echo again")), "again\n");  // there is room for one now
  EXPECT_EQ(house.gateway_pid(), gateway);
  EXPECT_EQ(house.keeper_pid(), keeper);
}

TEST_P(DescriptorsSweepTest, WhoCannotStartSaysSoAndWhoHasStartedServes) {
  for (int open_files = GetParam(); open_files < GetParam() + values_per_test && open_files <= 120; ++open_files) {
    live_with(open_files);
  }
}

INSTANTIATE_TEST_SUITE_P(From, DescriptorsSweepTest, testing::Range(20, 121, values_per_test),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace talaria
