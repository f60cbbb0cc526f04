// execute_code when the gateway or the keeper dies: kept interpreters live on, what ran is ended and said to be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "os/file.h"
#include "os/proc.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CodeDurabilityTest : public testing::Test {
 protected:
  JsonObject run(const std::string& source, JsonObject more = {}) {
    more.insert({{"session", "a"}});
    return house_.run_code(source, std::move(more));
  }
  std::string output(const std::string& source, JsonObject more = {}) {
    const JsonObject details = run(source, std::move(more));
    EXPECT_EQ(text_or(details, "status"), "success") << write_json(details);
    return text_or(details, "output");
  }
  // Starts one that prints `begun` and holds the lock `held` for a minute; the id of its job.
  std::string start(RpcClient& client, JsonObject more) {
    client = house_.start_code("print('begun')\n" + holding("held") + "time.sleep(60)", std::move(more));
    house_.await_held("held");
    for (const JsonObject& job : house_.jobs()) {
      const bool its = text_or(job, "command").starts_with("execute_code") && text_or(job, "status") == "running";
      if (!its) continue;
      const std::string id = text_or(job, "sessionId");
      await("what it printed to be on disk", [&] { return exists(house_.home().job(id) + "/output"); });
      return id;
    }
    ADD_FAILURE() << "no job";
    return "";
  }
  // It was running when the gateway went away: what a later one says of it.
  void expect_ended_by_restart(const std::string& job) {
    await("its end to be known", [&] { return status_of(house_.process("poll", job)) != "running"; });
    house_.await_free("held");
    const JsonObject polled = house_.process("poll", job, {{"offset", 0}});
    const JsonObject* result = object_or_null(details_of(polled), "result");
    ASSERT_TRUE(result) << write_json(polled);
    EXPECT_EQ(text_or(*result, "status"), "error");
    EXPECT_THAT(text_or(*result, "error"), StartsWith("gateway restarted"));
    EXPECT_EQ(text_or(details_of(polled), "output"), "begun\n");
  }
  void kill_both() {
    const pid_t keeper = house_.keeper_pid();
    house_.kill_gateway();
    ::kill(keeper, SIGKILL);
    await("the keeper to die", [&] { return state_of(keeper).value_or('Z') == 'Z'; });
  }

  CodeHouse house_;
};

// --- the gateway ---

TEST_F(CodeDurabilityTest, AnIdleInterpreterLivesOnWithItsVariables) {
  house_.put("a.txt", "content\n");
  output(
      "from hermes_tools import read_file, terminal\nimport os\nx, pid = 41, os.getpid()\nprint('before')\n"
      "print(read_file('a.txt')['content'])");
  for (int restart = 0; restart < 3; ++restart) {
    house_.kill_gateway();
    const JsonObject details = run(
        "x += 1\nprint(x, pid == os.getpid(), read_file('a.txt')['content'], terminal('echo hi')['output'], end='')");
    EXPECT_EQ(text_or(details, "output"), std::to_string(42 + restart) + " True content\n hi\n") << write_json(details);
    EXPECT_EQ(integer_or(details, "tool_calls_made"), 2);
  }
  // And errors, interrupts and limits work as before.
  house_.kill_gateway();
  const JsonObject failed = run("import sys\nprint('aside', file=sys.stderr)\n1 / 0");
  EXPECT_EQ(text_or(failed, "error"), "ZeroDivisionError: division by zero");
  EXPECT_THAT(text_or(failed, "output"), StartsWith("--- stderr ---\naside\nTraceback"));
  EXPECT_EQ(text_or(run("import time; time.sleep(60)", {{"timeout", 1}}), "status"), "timeout");
  EXPECT_EQ(output("print(x)"), "44\n");
}

TEST_F(CodeDurabilityTest, ACallRightAfterARestartNeverMeetsTheProgramOfBefore) {
  output("x = 1");
  RpcClient client = house_.connect();
  start(client, {{"session", "a"}});
  house_.kill_gateway();
  JsonObject details;
  await("the name to be free", [&] {
    details = run("print('x' in globals())");
    return !boolean_or(details, "busy");
  });
  EXPECT_EQ(text_or(details, "output"), "False\n") << write_json(details);
  house_.await_free("held");
}

TEST_F(CodeDurabilityTest, AnInterpreterThatWasRunningIsEndedAndItsNameIsFree) {
  output("x = 1");
  RpcClient client = house_.connect();
  const std::string job = start(client, {{"session", "a"}});
  house_.kill_gateway();
  expect_ended_by_restart(job);
  const JsonObject polled = house_.process("poll", job);
  EXPECT_TRUE(boolean_or(*object_or_null(details_of(polled), "result"), "session_lost")) << write_json(polled);
  EXPECT_EQ(output("print('x' in globals())"), "False\n");
}

TEST_F(CodeDurabilityTest, ARunInFlightIsEndedAndReported) {
  RpcClient client = house_.connect();
  const std::string job = start(client, {});
  house_.kill_gateway();
  expect_ended_by_restart(job);
  EXPECT_EQ(text_or(house_.run_code("print(1)"), "output"), "1\n");
}

TEST_F(CodeDurabilityTest, ARunThatWentToTheBackgroundIsEndedAndReported) {
  const JsonObject handed_back =
      house_.call("execute_code", {{"code", "print('begun')\n" + holding("held") + "time.sleep(60)"}, {"yieldMs", 10}});
  ASSERT_EQ(status_of(handed_back), "running") << write_json(handed_back);
  house_.await_held("held");
  house_.kill_gateway();
  expect_ended_by_restart(id_of(handed_back));
}

TEST_F(CodeDurabilityTest, AResultThatNobodyWaitedForIsThereAfterARestart) {
  const JsonObject handed_back =
      house_.call("execute_code",
                  {{"code", "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('the result')"},
                   {"yieldMs", 10}});
  ASSERT_EQ(status_of(handed_back), "running") << write_json(handed_back);
  house_.put("go", "");
  const std::string job = id_of(handed_back);
  await("its end to be known", [&] { return status_of(house_.process("poll", job)) != "running"; });
  house_.kill_gateway();
  const JsonObject polled = house_.process("poll", job);
  const JsonObject* result = object_or_null(details_of(polled), "result");
  ASSERT_TRUE(result) << write_json(polled);
  EXPECT_EQ(text_or(*result, "status"), "success");
  EXPECT_EQ(text_or(*result, "output"), "the result\n");
}

TEST_F(CodeDurabilityTest, TenSessionsLiveOnAtOnce) {
  const auto name = [](int i) { return "agent " + std::to_string(i); };
  for (int i = 0; i < 10; ++i) {
    const std::string source = "x = " + std::to_string(i) + "\nprint(x)";
    const JsonObject result =
        house_.call_as(name(i), "execute_code", {{"code", source}, {"session", "a"}, {"yieldMs", 0}});
    ASSERT_EQ(text_of(result), std::to_string(i) + "\n") << write_json(result);
  }
  house_.kill_gateway();
  std::vector<std::string> said(10);
  std::vector<std::thread> callers;
  house_.connect();  // one gateway, before ten ask for it
  for (int i = 0; i < 10; ++i) {
    callers.emplace_back([&, i] {
      const JsonObject result =
          house_.call_as(name(i), "execute_code", {{"code", "print(x)"}, {"session", "a"}, {"yieldMs", 0}});
      said[static_cast<size_t>(i)] = text_of(result);
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(said[static_cast<size_t>(i)], std::to_string(i) + "\n");
}

TEST_F(CodeDurabilityTest, AnOrderlyRestartKeepsIdleInterpretersToo) {
  output("x = 1");
  ASSERT_EQ(house_.run({"serve", "--stop"}).code, 0);
  EXPECT_EQ(output("print(x)"), "1\n");
}

TEST_F(CodeDurabilityTest, AnIdleOneIsStillReapedAfterARestart) {
  output("x = 1");
  const std::string job = text_or(house_.jobs().at(0), "sessionId");
  house_.configure("code_execution.kernel_idle_timeout", "1");
  house_.kill_gateway();
  await("it to be gone", [&] { return status_of(house_.process("poll", job)) != "running"; });
  EXPECT_EQ(output("print('x' in globals())"), "False\n");
}

// --- the keeper ---

TEST_F(CodeDurabilityTest, AKilledKeeperEndsARunWithAnErrorAndTheNextWorks) {
  RpcClient client = house_.connect();
  start(client, {});
  house_.kill_keeper();
  const JsonObject result = house_.finish_code(client);
  EXPECT_EQ(status_of(result), "error") << write_json(result);
  EXPECT_THAT(text_or(details_of(result), "error"), HasSubstr("went away"));
  EXPECT_THAT(text_or(details_of(result), "output"), StartsWith("begun\n"));
  house_.await_free("held");
  EXPECT_EQ(text_or(house_.run_code("print(1)"), "output"), "1\n");
}

TEST_F(CodeDurabilityTest, AKilledKeeperLosesInterpretersThatWereKept) {
  output("x = 1");
  RpcClient client = house_.connect();
  start(client, {{"session", "a"}});
  house_.kill_keeper();
  const JsonObject result = house_.finish_code(client);
  EXPECT_EQ(status_of(result), "error") << write_json(result);
  EXPECT_TRUE(boolean_or(details_of(result), "session_lost")) << write_json(result);
  EXPECT_EQ(output("print('x' in globals()); x = 2"), "False\n");
  house_.kill_keeper();  // while it is idle
  EXPECT_EQ(output("print('x' in globals())"), "False\n");
}

TEST_F(CodeDurabilityTest, BothKilledAtOnceIsReportedAndTheNextWorks) {
  output("x = 1", {{"session", "b"}});
  RpcClient client = house_.connect();
  const std::string job = start(client, {{"session", "a"}});
  kill_both();
  house_.await_free("held");
  const JsonObject polled = house_.process("poll", job, {{"offset", 0}});
  EXPECT_EQ(status_of(polled), "lost") << write_json(polled);
  EXPECT_EQ(text_or(details_of(polled), "output"), "begun\n");
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(output("print('x' in globals())", {{"session", name}}), "False\n") << name;
  }
}

}  // namespace
}  // namespace talaria
