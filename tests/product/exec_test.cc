// The exec tool as an agent calls it: what comes back, and what is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto soon = 5s;  // far above what it takes, far below every default that would hide a mistake

class ExecTest : public testing::Test {
 protected:
  void configure(const std::string& key, const std::string& value) {
    const Ran ran = house_.run({"config", "set", key, value});
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  void put(const std::string& name, const std::string& content, mode_t mode = 0600) {
    ASSERT_TRUE(write_file_atomically(house_.workspace() + "/" + name, content, mode));
  }
  // The pid a command wrote to a file in the workspace, as soon as it is there.
  pid_t pid_in(const std::string& name) {
    std::string text;
    await(name + " to hold a pid", [&] {
      const Result<std::string> read = read_file(house_.workspace() + "/" + name);
      if (read) text = *read;
      return text.ends_with('\n');
    });
    return text.empty() ? 0 : std::stoi(text);
  }
  void await_line(const std::string& id, const std::string& pattern) {
    const JsonObject seen = house_.process("wait", id, {{"until", pattern}, {"timeout", 20000}});
    ASSERT_TRUE(details_of(seen).contains("found")) << write_json(seen);
  }

  PlainHouse house_;
};

int64_t code_of(const JsonObject& result) { return integer_or(details_of(result), "exitCode", -1); }
bool lives(pid_t pid) { return state_of(pid).value_or('Z') != 'Z'; }

// --- the three shapes ---

TEST_F(ExecTest, ACompletedCommandSaysEverythingAboutItself) {
  const EpochMs before = epoch_ms();
  const JsonObject result = house_.exec("echo out; echo err >&2; printf last");
  const JsonObject& details = details_of(result);
  EXPECT_EQ(text_of(result), "out\nerr\nlast");
  EXPECT_EQ(status_of(result), "completed");
  EXPECT_EQ(code_of(result), 0);
  EXPECT_EQ(text_or(details, "cwd"), house_.workspace());
  EXPECT_GE(integer_or(details, "startedAt"), before);
  EXPECT_GE(integer_or(details, "durationMs", -1), 0);
  EXPECT_LE(integer_or(details, "durationMs", -1), epoch_ms() - before);
  EXPECT_FALSE(boolean_or(details, "truncated", true));
  EXPECT_FALSE(text_or(details, "agentSession").empty());
  ASSERT_TRUE(object_or_null(details, "sandbox"));
  EXPECT_EQ(integer_or(*object_or_null(details, "sandbox"), "tier", -1), 0);  // the truth: none held
  for (const char* absent : {"outputFile", "childrenStillRunning", "note", "reason", "exitSignal"}) {
    EXPECT_FALSE(details.contains(absent)) << write_json(details);
  }
  EXPECT_FALSE(result.contains("isError"));
}

TEST_F(ExecTest, AnOrdinaryFailureIsCompletedAndEndsWithItsCode) {
  const JsonObject two = house_.exec("echo x; exit 2");
  EXPECT_EQ(text_of(two), "x\n\n(Command exited with code 2)");
  EXPECT_EQ(status_of(two), "completed");
  EXPECT_EQ(code_of(two), 2);
  EXPECT_FALSE(two.contains("isError"));
  EXPECT_EQ(text_of(house_.exec("exit 3")), "(no output)\n\n(Command exited with code 3)");
  EXPECT_EQ(text_of(house_.exec("true")), "(no output)");
}

TEST_F(ExecTest, AKnownExitCodeIsExplained) {
  put("a", "one\n");
  put("b", "two\n");
  const JsonObject grep = house_.exec("grep zzz a");
  EXPECT_EQ(text_of(grep), "(no output)\n\n(Command exited with code 1)\ngrep: no lines matched");
  EXPECT_EQ(text_or(details_of(grep), "note"), "grep: no lines matched");
  EXPECT_EQ(status_of(grep), "completed");
  EXPECT_THAT(text_of(house_.exec("diff a b")), EndsWith("(Command exited with code 1)\ndiff: the files differ"));
  const JsonObject killed = house_.exec("sh -c 'kill -9 $$'; exit $?");
  EXPECT_EQ(status_of(killed), "completed");
  EXPECT_EQ(code_of(killed), 137);
  EXPECT_THAT(text_or(details_of(killed), "note"), HasSubstr("a child was killed by SIGKILL"));
}

TEST_F(ExecTest, AProgramThatCannotBeRunHasFailed) {
  const JsonObject missing = house_.exec("no-such-program-anywhere");
  EXPECT_EQ(status_of(missing), "failed");
  EXPECT_EQ(code_of(missing), 127);
  EXPECT_EQ(text_or(details_of(missing), "reason"), "not-found");
  EXPECT_THAT(text_of(missing), AllOf(HasSubstr("no-such-program-anywhere"),
                                      EndsWith("\n\nCommand not found (exit code 127). Check the spelling and PATH, or "
                                               "install the program.")));
  put("plain", "echo never\n");
  const JsonObject plain = house_.exec("./plain");
  EXPECT_EQ(status_of(plain), "failed");
  EXPECT_EQ(code_of(plain), 126);
  EXPECT_EQ(text_or(details_of(plain), "reason"), "not-executable");
  EXPECT_THAT(text_of(plain), HasSubstr("Command not executable (exit code 126)"));
}

TEST_F(ExecTest, ASignalIsNamed) {
  const JsonObject ended = house_.exec("echo before; kill -TERM $$");
  EXPECT_EQ(text_of(ended), "before\n\nCommand aborted by signal SIGTERM.");
  EXPECT_EQ(status_of(ended), "failed");
  EXPECT_EQ(text_or(details_of(ended), "exitSignal"), "SIGTERM");
  EXPECT_EQ(text_or(details_of(ended), "reason"), "signal");
  ASSERT_TRUE(details_of(ended).contains("exitCode"));
  EXPECT_TRUE(details_of(ended).at("exitCode").is_null());
  EXPECT_EQ(text_of(house_.exec("ulimit -c 0; kill -SEGV $$")),
            "Command aborted by signal SIGSEGV. The program crashed.");
}

TEST_F(ExecTest, ARunningCommandIsHandedBackWithItsTail) {
  house_.exec("true");  // what takes long comes before: the gateway, the login shell
  const EpochMs before = epoch_ms();
  const JsonObject result = house_.exec("seq 1 2000; echo started; sleep 60", {{"yieldMs", 2000}});
  const JsonObject& details = details_of(result);
  const pid_t pid = static_cast<pid_t>(integer_or(details, "pid"));
  EXPECT_EQ(text_of(result), "Command still running (session " + id_of(result) + ", pid " + std::to_string(pid) +
                                 "). Use process (list/poll/log/write/kill/clear/remove) for follow-up.\n\n"
                                 "The end of its output so far:\n" +
                                 text_or(details, "tail"));
  EXPECT_EQ(status_of(result), "running");
  EXPECT_EQ(id_of(result).size(), 8u);
  EXPECT_TRUE(lives(pid));
  EXPECT_GE(integer_or(details, "startedAt"), before);
  EXPECT_LE(integer_or(details, "startedAt"), epoch_ms());
  EXPECT_EQ(text_or(details, "cwd"), house_.workspace());
  EXPECT_EQ(text_or(details, "tail").size(), 2000u);
  EXPECT_THAT(text_or(details, "tail"), EndsWith("\n2000\nstarted\n"));
}

TEST_F(ExecTest, ALongOutputIsCutForAModelAndNamesAWayToTheRest) {
  const JsonObject result = house_.exec("seq 100000");
  const std::string text = text_of(result);
  EXPECT_GT(text.size(), 25'000u);
  EXPECT_LT(text.size(), 30'500u);
  EXPECT_THAT(text, AllOf(StartsWith("1\n2\n"), HasSubstr("\n100000\n"), HasSubstr(" bytes left out …]\n"),
                          EndsWith("\n\n(The rest is in the log: process log with sessionId " + id_of(result) +
                                   ", by lines (offset, limit) or with grep.)")));
  EXPECT_THAT(text, Not(HasSubstr(house_.root())));
  EXPECT_THAT(text_of(house_.process("log", id_of(result), {{"offset", 49'999}, {"limit", 1}})), StartsWith("50000\n"));
}

TEST_F(ExecTest, ProgressWrittenWithCarriageReturnsIsItsLastState) {
  const std::string command = "for i in $(seq 0 10 100); do printf '\\r%d%%' $i; done; echo; echo done";
  const JsonObject result = house_.exec(command);
  EXPECT_EQ(text_of(result), "100%\ndone\n");
  const std::string id = id_of(house_.exec(command, {{"background", true}}));
  EXPECT_THAT(text_of(house_.process("wait", id, {{"timeout", 20000}})), StartsWith("100%\ndone\n"));
  EXPECT_THAT(text_of(house_.process("poll", id)), StartsWith("100%\ndone\n"));
  EXPECT_EQ(text_of(house_.process("log", id)), "100%\ndone\n");
  EXPECT_THAT(house_.run({"log", id}).out, HasSubstr("100%"));
  EXPECT_EQ(text_of(house_.exec("printf 'a\\r\\nb\\r\\n'")), "a\nb\n");
  EXPECT_GT(integer_or(details_of(house_.process("log", id)), "totalBytes"), 30);  // nothing of it is lost
}

TEST_F(ExecTest, StdoutAndStderrComeInTheOrderTheyWereWritten) {
  std::string expected;
  for (int i = 1; i <= 300; ++i) expected += "o" + std::to_string(i) + "\ne" + std::to_string(i) + "\n";
  EXPECT_EQ(text_of(house_.exec("for i in $(seq 300); do echo o$i; echo e$i >&2; done")), expected);
}

// --- time ---

TEST_F(ExecTest, ATimeoutKeepsTheOutputAndSaysWhatToDo) {
  const JsonObject result = house_.exec("echo so far; sleep 60", {{"timeout", 0.5}});
  EXPECT_EQ(text_of(result),
            "so far\n\nCommand timed out after 0.5 seconds. If it needs longer, call again with a larger timeout (0 = "
            "none); if it should keep running, start it with background=true and follow it with process poll.");
  EXPECT_EQ(status_of(result), "failed");
  EXPECT_EQ(text_or(details_of(result), "reason"), "timeout");
  EXPECT_GE(integer_or(details_of(result), "durationMs"), 500);
  EXPECT_THAT(text_of(house_.exec("sleep 60", {{"timeoutSeconds", 0.1}})),
              StartsWith("Command timed out after 0.1 seconds."));
}

TEST_F(ExecTest, ATimeoutHoldsInTheBackgroundAndWithoutAGateway) {
  const JsonObject result = house_.exec("echo $$; sleep 60", {{"background", true}, {"timeout", 0.4}});
  ASSERT_EQ(status_of(result), "running");
  house_.kill_gateway();
  const pid_t pid = static_cast<pid_t>(integer_or(details_of(result), "pid"));
  await(
      "the keeper to end it", [&] { return !lives(pid); }, soon);
  const JsonObject ended = house_.process("wait", id_of(result));
  EXPECT_EQ(status_of(ended), "failed");
  EXPECT_EQ(text_or(details_of(ended), "reason"), "timeout");
  EXPECT_THAT(text_of(ended), HasSubstr("Command timed out after 0.4 seconds."));
}

TEST_F(ExecTest, TheConfiguredTimeoutHoldsUnlessTheCallSaysOtherwise) {
  configure("exec.timeout", "0.2");
  EXPECT_THAT(text_of(house_.exec("sleep 60")), HasSubstr("timed out after 0.2 seconds"));
  EXPECT_EQ(text_of(house_.exec("sleep 0.5; echo done", {{"timeout", 0}})), "done\n");
}

TEST_F(ExecTest, TheYieldWindowComesFromTheCallThenTheConfigThenTheEnvironment) {
  house_.environment()["TALARIA_EXEC_YIELD_MS"] = "30";
  house_.environment()["PI_BASH_YIELD_MS"] = "60000";
  const auto begin = Clock::now();
  EXPECT_EQ(status_of(house_.exec("sleep 60")), "running");
  EXPECT_LT(Clock::now() - begin, soon);
  configure("exec.yield_ms", "60000");
  EXPECT_EQ(text_of(house_.exec("sleep 0.3; echo done")), "done\n");
  EXPECT_EQ(status_of(house_.exec("sleep 60", {{"yieldMs", 20}})), "running");
  EXPECT_EQ(status_of(house_.exec("sleep 60", {{"yieldMs", -1}})), "running");  // clamped, not refused
  EXPECT_LT(Clock::now() - begin, 2 * soon);
}

TEST_F(ExecTest, ThePeersYieldVariableIsReadToo) {
  house_.environment()["PI_BASH_YIELD_MS"] = "30";
  const auto begin = Clock::now();
  EXPECT_EQ(status_of(house_.exec("sleep 60")), "running");
  EXPECT_LT(Clock::now() - begin, soon);
}

TEST_F(ExecTest, WithoutBackgroundAllowedEverythingRunsToItsEndAndSaysSo) {
  configure("exec.allow_background", "false");
  const JsonObject asked = house_.exec("echo hi", {{"background", true}});
  EXPECT_EQ(status_of(asked), "completed");
  EXPECT_EQ(text_of(asked),
            "hi\n\n(exec.allow_background is false in the configuration, so the command ran in the foreground.)");
  EXPECT_THAT(text_or(details_of(asked), "note"), HasSubstr("exec.allow_background"));
  EXPECT_EQ(text_of(house_.exec("sleep 0.3; echo done", {{"yieldMs", 10}})), "done\n");
}

// --- input ---

TEST_F(ExecTest, AForegroundCommandReadsNothingUnlessItIsGivenText) {
  const auto begin = Clock::now();
  EXPECT_EQ(text_of(house_.exec("cat")), "(no output)");
  EXPECT_LT(Clock::now() - begin, soon);
  EXPECT_EQ(text_of(house_.exec("readlink /proc/self/fd/0")), "/dev/null\n");
  EXPECT_EQ(text_of(house_.exec("cat", {{"stdin", "a\nb"}})), "a\nb");
  EXPECT_EQ(text_of(house_.exec("cat", {{"stdin", ""}})), "(no output)");
  EXPECT_EQ(text_of(house_.exec("wc -c", {{"stdin", std::string(2 << 20, 'x')}})), "2097152\n");
  EXPECT_EQ(text_of(house_.exec("wc -c", {{"stdin", std::string("a\0b", 3)}})), "3\n");
}

// --- where ---

TEST_F(ExecTest, TheWorkdirIsRelativeToTheSession) {
  ASSERT_TRUE(make_directories(house_.workspace() + "/sub/deep"));
  const auto place = [&](JsonObject more) {
    const JsonObject result = house_.exec("pwd", std::move(more));
    EXPECT_EQ(text_or(details_of(result), "cwd") + "\n", text_of(result));
    return text_or(details_of(result), "cwd");
  };
  EXPECT_EQ(place({}), house_.workspace());
  EXPECT_EQ(place({{"workdir", "sub"}}), house_.workspace() + "/sub");
  EXPECT_EQ(place({{"workdir", " sub/deep/.. "}}), house_.workspace() + "/sub");
  EXPECT_EQ(place({{"cwd", house_.workspace() + "/sub/deep"}}), house_.workspace() + "/sub/deep");
  EXPECT_EQ(place({{"workdir", "sub"}, {"cwd", "sub"}}), house_.workspace() + "/sub");
  EXPECT_EQ(place({{"workdir", "/"}}), "/");
  const JsonObject both = house_.exec("touch ran", {{"workdir", "sub"}, {"cwd", "/"}});
  EXPECT_TRUE(boolean_or(both, "isError"));
  EXPECT_THAT(text_of(both), AllOf(HasSubstr("\"workdir\""), HasSubstr("\"cwd\"")));
}

TEST_F(ExecTest, EachCommandStartsAfreshInTheSessionsDirectory) {
  house_.exec("cd /; export LEFT=behind");
  EXPECT_EQ(text_of(house_.exec("echo $PWD $LEFT")), house_.workspace() + "\n");
}

TEST_F(ExecTest, ALabelNamesTheJob) {
  const std::string id = id_of(house_.exec("sleep 60", {{"background", true}, {"label", "the server"}}));
  const JsonObject listed = house_.process("list", "");
  EXPECT_THAT(text_of(listed), AllOf(StartsWith(id + " running "), EndsWith(" :: the server")));
  const JsonObject& row = details_of(listed).at("sessions").as_array().at(0).as_object();
  EXPECT_EQ(text_or(row, "label"), "the server");
}

// --- what a command leaves behind ---

TEST_F(ExecTest, AChildThatKeepsStdoutOpenDelaysNothing) {
  const auto begin = Clock::now();
  const JsonObject result = house_.exec("sh -c 'sleep 60 & echo $! > child; echo hi'");
  EXPECT_LT(Clock::now() - begin, soon);
  EXPECT_EQ(status_of(result), "completed");
  EXPECT_EQ(text_of(result),
            "hi\n\n(1 process started by the command still runs; later output goes to the log of "
            "job " +
                id_of(result) + ", and process kill ends what is left.)");
  EXPECT_EQ(integer_or(details_of(result), "childrenStillRunning"), 1);
  const pid_t child = pid_in("child");
  EXPECT_TRUE(lives(child));
  house_.process("kill", id_of(result));
  EXPECT_FALSE(lives(child));
}

TEST_F(ExecTest, WhatAChildPrintsLaterIsInTheLog) {
  const JsonObject result =
      house_.exec("(while [ ! -e go ]; do sleep 0.02; done; echo later; exec sleep 60) & echo now");
  EXPECT_THAT(text_of(result), AllOf(StartsWith("now\n\n("), Not(HasSubstr("later\n"))));
  put("go", "");
  await_line(id_of(result), "^later$");
  EXPECT_EQ(text_of(house_.process("log", id_of(result))), "now\nlater\n");
}

TEST_F(ExecTest, KillEndsChildrenThatTriedToGetAway) {
  const std::string id =
      id_of(house_.exec("away() { sh -c \"echo \\$\\$ > $1; exec sleep 300\"; }\n"
                        "setsid sh -c 'echo $$ > session; exec sleep 300' &\n"
                        "( (away twice >/dev/null 2>&1 </dev/null &) & )\n"
                        "nohup sh -c 'echo $$ > disowned; exec sleep 300' >/dev/null 2>&1 & disown\n"
                        "env -i setsid setsid sh -c 'trap \"\" HUP; echo $$ > bare; exec sleep 300' &\n"
                        "sleep 300",
                        {{"background", true}}));
  std::vector<pid_t> pids;
  for (const char* name : {"session", "twice", "disowned", "bare"}) pids.push_back(pid_in(name));
  for (pid_t pid : pids) EXPECT_TRUE(lives(pid));
  const JsonObject killed = house_.process("kill", id);
  EXPECT_EQ(status_of(killed), "failed");
  for (pid_t pid : pids) EXPECT_FALSE(lives(pid));
}

TEST_F(ExecTest, ATimeoutEndsTheWholeTree) {
  house_.exec("setsid sh -c 'echo $$ > away; exec sleep 300' & wait", {{"timeout", 1}});
  // The answer comes with the end of the command itself; its tree ends with it, not before it.
  const pid_t away = pid_in("away");
  await(
      "the rest of the tree to end", [&] { return !lives(away); }, soon);
}

TEST_F(ExecTest, AProgramThatIgnoresSigtermEndsAfterTheGrace) {
  const std::string id =
      id_of(house_.exec("trap '' TERM; echo ready; while :; do sleep 0.2; done", {{"background", true}}));
  await_line(id, "ready");
  const auto begin = Clock::now();
  const JsonObject killed = house_.process("kill", id);
  const auto took = Clock::now() - begin;
  EXPECT_EQ(text_or(details_of(killed), "exitSignal"), "SIGKILL");
  EXPECT_GE(took, 4900ms);
  EXPECT_LT(took, 9s);
}

TEST_F(ExecTest, ACallerThatGoesAwayCancelsItsCommand) {
  pid_t pid = 0;
  {
    RpcClient client = house_.connect();
    ASSERT_TRUE(client.send("tools/call", {{"name", "exec"},
                                           {"arguments", JsonObject{{"command", "echo $$ > pid; exec sleep 60"}}},
                                           {"client", "cli"},
                                           {"session", JsonObject{{"cwd", house_.workspace()}}}}));
    pid = pid_in("pid");
    EXPECT_TRUE(lives(pid));
  }
  await(
      "the command to be ended", [&] { return !lives(pid); }, soon);
}

}  // namespace
}  // namespace talaria
