#include <gmock/gmock.h>

#include <csignal>

#include "keeper/keeper_trial.h"
#include "os/proc.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

class KeeperStartTest : public KeeperTrial {
 protected:
  void open() {
    Result<SessionPlan> plan = trial_.plan();
    ASSERT_TRUE(plan) << plan.error().message();
    plan->command.argv = {"/bin/sh"};
    client_->open_space({"s", plan->space, plan->command, trial_.profile, trial_.workspace});
  }
  Result<JobStatus> start_inside(const std::string& job) {
    StartOptions options;
    options.space = "s";
    return start(job, "echo hi", std::move(options));
  }
  // The first process of the sandbox.
  pid_t holder() {
    for (const pid_t pid : descendants_of(client_->keeper_pid())) {
      const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
      if (name && *name == "talaria-sandbox\n" && parent_of(pid) == client_->keeper_pid()) return pid;
    }
    return 0;
  }

  SpaceTrial trial_;
};

// It would wait for ever otherwise, and whoever asked for it.
TEST_F(KeeperStartTest, ACommandThatNobodyStartsIsAnsweredFor) {
  open();
  ASSERT_TRUE(start_inside("first"));
  const pid_t stopped = holder();
  ASSERT_GT(stopped, 0);
  ASSERT_EQ(::kill(stopped, SIGSTOP), 0);
  std::optional<Result<JobStatus>> asked;
  bool read = false;
  loop_.post([&] {  // when the start is on its way
    calls_.push_back(client_->started("late", [&](Result<JobStatus> status) { asked = std::move(status); }));
    calls_.push_back(client_->read("late", 0, 1, {10min}, [&](const Result<Chunk>&) { read = true; }));
  });
  const Result<JobStatus> late = start_inside("late");
  ASSERT_EQ(::kill(stopped, SIGCONT), 0);
  run_until([&] { return asked && read; });
  EXPECT_EQ(asked->error().code(), ErrorCode::timed_out);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::timed_out);
  EXPECT_THAT(late.error().message(), testing::HasSubstr("did not start within 15 seconds"));
  EXPECT_TRUE(start_inside("next"));
  await_end("next");
  EXPECT_EQ(whole_["next"], "hi\n");
  EXPECT_FALSE(ended_.contains("late"));
}

}  // namespace
}  // namespace talaria
