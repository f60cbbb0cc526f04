#include "sandbox/warm_base.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "os/proc.h"
#include "sandbox/warm_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

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

// --- what a command could exchange never becomes one ---

class ExchangeTrial : public WarmTrial {
 public:
  explicit ExchangeTrial(ProfileKind kind = ProfileKind::workspace_write) : WarmTrial(kind) {
    in_workspace = workspace + "/trial";
    CHECK(write_file_atomically(in_workspace, *read_file(library + "/trial", 1 << 30), 0755, Durable::no));
    CHECK(::symlink(in_workspace.c_str(), (library + "/leads-out").c_str()) == 0);
    CHECK(::symlink("trial", (library + "/leads-home").c_str()) == 0);
    CHECK(write_file_atomically(library + "/script", "#!" + in_workspace + "\n", 0755, Durable::no));
    CHECK(write_file_atomically(library + "/setuid", *read_file(library + "/trial", 1 << 30), 0755, Durable::no));
    CHECK(::chmod((library + "/setuid").c_str(), 04755) == 0);
    CHECK(prepare().empty());
    inside = session().view.library;
  }
  bool refuses_program(const std::string& file, std::vector<std::string> pinned = {}) {
    return refuses({file, {file}, {"TALARIA_TRIAL_BASE=serving"}, std::move(pinned)});
  }
  std::string in_workspace, inside;
};

SPACE_TEST(WarmBaseTest, AProgramThatACommandCanExchangeIsNotRun) {
  ExchangeTrial trial;
  const std::string climbing = "/usr/bin/../.." + trial.in_workspace;
  for (const std::string& path : {trial.in_workspace, "/" + trial.in_workspace, climbing, trial.inside + "/leads-out",
                                  trial.inside + "/script", trial.inside + "/setuid", trial.inside + "/../lib/trial",
                                  std::string("trial"), trial.inside + "/nothing", trial.inside}) {
    EXPECT_TRUE(trial.refuses_program(path)) << path;
  }
  EXPECT_FALSE(trial.refuses_program(trial.inside + "/trial"));
  EXPECT_FALSE(trial.refuses_program(trial.inside + "/leads-home"));
}

// On many machines /var/run leads to /run, where commands have a place of their own.
SPACE_TEST(WarmBaseTest, AProgramInAPrivatePlaceIsNotRun) {
  ExchangeTrial trial;
  const std::string uid = std::to_string(trial.session().space.identity.uid);
  for (const std::string& folder :
       {std::string("/tmp"), std::string("/var/tmp"), trial.home, "/run/user/" + uid, "/var/run/user/" + uid}) {
    if (trial.run("cp " + trial.in_workspace + " " + folder + "/trial").status != 0) continue;  // not on this machine
    EXPECT_TRUE(trial.refuses_program(folder + "/trial")) << folder;
  }
  EXPECT_TRUE(trial.refuses_program("/proc/self/cwd/trial"));
}

SPACE_TEST(WarmBaseTest, OneWhoseLibraryACommandCanExchangeIsNotRun) {
  ExchangeTrial trial;
  const std::string program = trial.inside + "/trial";
  EXPECT_TRUE(trial.refuses_program(program, {trial.workspace}));
  EXPECT_TRUE(trial.refuses_program(program, {"/usr/lib", trial.inside + "/leads-out"}));
  EXPECT_TRUE(trial.refuses({"argument", {program, "-I", trial.in_workspace}, {"TALARIA_TRIAL_BASE=serving"}}));
  EXPECT_FALSE(trial.refuses_program(program, {trial.inside, "/usr/lib", "/usr/lib/nothing.zip"}));
}

SPACE_TEST(WarmBaseTest, OneUnderReadOnlyToo) {
  ExchangeTrial trial(ProfileKind::read_only);
  EXPECT_FALSE(trial.refuses_program(trial.inside + "/trial"));
  EXPECT_TRUE(trial.refuses_program("/" + trial.in_workspace));
}

// Where our own files lie cannot be moved aside with what is above them, wherever they are on the machine.
SPACE_TEST(WarmBaseTest, NothingAboveTheLibraryCanBeMoved) {
  ExchangeTrial trial;
  EXPECT_EQ(trial.inside, "/run/talaria/lib");
  const Outcome moved = trial.run(
      "mv /run/talaria /run/aside; mv /run/talaria/lib /run/talaria/aside; mv /run /aside; "
      "ln -sf x /run/talaria/lib/trial; mkdir -p " +
      trial.library + " && echo there");
  EXPECT_THAT(moved.output, testing::EndsWith("there\n"));  // its own place is empty, and theirs
  EXPECT_FALSE(trial.refuses_program(trial.inside + "/trial"));
}

}  // namespace
}  // namespace talaria
