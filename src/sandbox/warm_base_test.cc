#include "sandbox/warm_base.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "os/proc.h"
#include "sandbox/warm_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

// The base of a session, from outside; 0 when it has none.
pid_t base_of(WarmTrial& trial) {
  for (const pid_t pid : descendants_of(trial.space().pid())) {
    const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
    if (parent_of(pid) != trial.space().pid() || !name || state_of(pid).value_or('Z') == 'Z') continue;
    if (*name == "trial\n" || *name == "talaria-sandbox\n") return pid;  // the latter before it is the program
  }
  return 0;
}

TEST(WarmBaseTest, OnlyOneCanClaimAnOrder) {
  OrderClaim claim = *OrderClaim::make();
  OrderClaim same(UniqueFd(::fcntl(claim.fd(), F_DUPFD_CLOEXEC, 3)));
  EXPECT_TRUE(same.take());
  EXPECT_FALSE(claim.take());
  EXPECT_FALSE(same.take());
}

SPACE_TEST(WarmBaseTest, CommandsStartColdWhileItIsNotReady) {
  WarmTrial trial;
  EXPECT_FALSE(trial.run_task(trial.task("nothing", "a")).warm);
  trial.keep_warm("a", "mute");
  const WarmOutcome outcome = trial.run_task(trial.task("nothing", "a"));
  EXPECT_FALSE(outcome.warm);
  EXPECT_EQ(outcome.outcome, (Outcome{0, ""}));
}

SPACE_TEST(WarmBaseTest, OnlyCommandsThatNameItAreForkedFromIt) {
  WarmTrial trial;
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  EXPECT_FALSE(trial.run_task(trial.task("nothing", "b")).warm);
  EXPECT_FALSE(trial.run_task(trial.task("nothing", "")).warm);
  EXPECT_TRUE(trial.run_task(trial.task("nothing", "a")).warm);
}

SPACE_TEST(WarmBaseTest, OneThatIsStuckIsKilledAndTheOrderDoneCold) {
  WarmTrial trial;
  trial.keep_warm("a", "stuck");
  const auto deadline = Clock::now() + warm_patience;
  do {
    const WarmOutcome outcome = trial.run_task(trial.task("nothing", "a"));
    EXPECT_FALSE(outcome.warm);
    EXPECT_EQ(outcome.outcome, (Outcome{0, ""}));
  } while (base_of(trial) > 0 && Clock::now() < deadline);
  EXPECT_LT(Clock::now(), deadline);
}

SPACE_TEST(WarmBaseTest, OneThatDiesWhenAskedLeavesTheOrderToBeDoneCold) {
  WarmTrial trial;
  trial.keep_warm("a", "dying");
  const auto deadline = Clock::now() + warm_patience;
  do {
    EXPECT_EQ(trial.run_task(trial.task("nothing", "a")).outcome, (Outcome{0, ""}));
  } while (base_of(trial) > 0 && Clock::now() < deadline);
  EXPECT_LT(Clock::now(), deadline);
  trial.keep_warm("a", "serving");  // the same id again: nobody has it now
  EXPECT_TRUE(trial.becomes_warm("a"));
}

SPACE_TEST(WarmBaseTest, OneWithThreadsRefuses) {
  WarmTrial trial;
  trial.keep_warm("a", "threads");
  const auto deadline = Clock::now() + warm_patience;
  do {
    EXPECT_FALSE(trial.run_task(trial.task("nothing", "a")).warm);
  } while (base_of(trial) > 0 && Clock::now() < deadline);
  EXPECT_LT(Clock::now(), deadline);
}

SPACE_TEST(WarmBaseTest, AnotherIdReplacesItAndItsCommandsLiveOn) {
  WarmTrial trial;
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  std::vector<NumberedFd> further;
  further.push_back({3, std::move(theirs)});
  const WarmTrial::Running running = trial.begin(trial.task("talk", "a"), std::move(further));
  ASSERT_TRUE(running.first && running.first->other == 1);
  char there = 0;
  ASSERT_EQ(::read(mine.get(), &there, 1), 1);
  trial.keep_warm("b", "serving");
  ASSERT_TRUE(trial.becomes_warm("b"));
  EXPECT_FALSE(trial.run_task(trial.task("nothing", "a")).warm);
  const pid_t init = *parent_of(running.first->value);
  EXPECT_EQ(parent_of(init), trial.space().pid());
  ASSERT_TRUE(write_all(mine.get(), "\7"));
  EXPECT_EQ(WarmTrial::finish(running), (Outcome{7, ""}));
}

SPACE_TEST(WarmBaseTest, AStepThatFailsIsReportedAsThatOfAStartedCommand) {
  WarmTrial trial;
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  CommandOrder order = trial.task("nothing", "");
  order.cwd = "/nowhere";
  const WarmOutcome cold = trial.run_task(order);
  order.warm = "a";
  const WarmOutcome warm = trial.run_task(order);
  EXPECT_EQ(cold.outcome, (Outcome{-1, "cwd: /nowhere: 2"}));
  EXPECT_EQ(warm.outcome, cold.outcome);
  EXPECT_TRUE(trial.run_task(trial.task("nothing", "a")).warm);
}

SPACE_TEST(WarmBaseTest, ACommandCannotReachIt) {
  WarmTrial trial;
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  for (const std::string id : {"", "a"}) {
    EXPECT_EQ(trial.run_task(trial.task("kill all", id)).outcome, (Outcome{0, ""}));  // there is nobody to kill
  }
  // As root of the sandbox's user id, from a shell: by every number.
  trial.run("for i in $(seq 1 300); do [ $i = $$ ] || kill -9 $i; done");
  EXPECT_TRUE(trial.run_task(trial.task("nothing", "a")).warm);
}

SPACE_TEST(WarmBaseTest, HasNoMoreThanItNeedsAndCannotBeLookedInto) {
  WarmTrial trial;
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  const std::string folder = "/proc/" + std::to_string(base_of(trial));
  const std::string status = *read_file(folder + "/status");
  EXPECT_THAT(status, HasSubstr("\nCapPrm:\t0000000000200100\n"));  // CAP_SYS_ADMIN and CAP_SETPCAP
  EXPECT_THAT(status, HasSubstr("\nCapEff:\t0000000000200100\n"));
  EXPECT_THAT(status, HasSubstr("\nCapBnd:\t0000000000200100\n"));
  EXPECT_THAT(status, HasSubstr("\nUid:\t" + std::to_string(trial.session().space.identity.uid) + "\t"));
  struct stat owner {};
  ASSERT_EQ(::stat((folder + "/mem").c_str(), &owner), 0);
  EXPECT_EQ(owner.st_uid, 0u);  // so it is when a process is not dumpable
}

SPACE_TEST(WarmBaseTest, ItsCommandsAreEndedAsAnyOther) {
  WarmTrial trial;
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  const WarmTrial::Running running = trial.begin(trial.task("wait", "a"));
  ASSERT_TRUE(running.first && running.first->other == 1);
  const CommandSignal end{CommandSignal::Kind::end, 5000};
  ASSERT_EQ(::send(running.control.get(), &end, sizeof end, 0), static_cast<ssize_t>(sizeof end));
  EXPECT_EQ(WarmTrial::finish(running), (Outcome{128 + SIGTERM, ""}));
}

SPACE_TEST(WarmBaseTest, CallsItsHooksAroundTheFork) {
  WarmTrial trial;
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  const WarmOutcome outcome = trial.run_task(trial.task("hooks", "a"));
  ASSERT_TRUE(outcome.warm);
  EXPECT_EQ(outcome.outcome.output, "before parent before child ");
}

}  // namespace
}  // namespace talaria
