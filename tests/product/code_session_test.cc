// Interpreters that are kept: what survives from one program to the next, what does not, and how they end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class CodeSessionTest : public testing::Test {
 protected:
  JsonObject run(const std::string& source, JsonObject more = {}) {
    more.insert({{"session", "a"}});
    return house_.run_code(source, std::move(more));
  }
  std::string output(const std::string& source, JsonObject more = {}) {
    const JsonObject details = run(source, std::move(more));
    EXPECT_EQ(text_or(details, "status"), "success") << write_json(details);
    EXPECT_FALSE(boolean_or(details, "session_lost"));
    return text_or(details, "output");
  }
  std::string output_as(const std::string& agent, const std::string& source) {
    const JsonObject result =
        house_.call_as(agent, "execute_code", {{"code", source}, {"session", "a"}, {"yieldMs", 0}});
    return text_of(result);
  }
  // One that holds the lock `held` while it runs.
  RpcClient start(const std::string& source, const std::string& name = "a") {
    RpcClient client = house_.start_code(holding("held") + source, {{"session", name}});
    house_.await_held("held");
    return client;
  }
  // The jobs of interpreters that live, by what they are kept as.
  std::string job_of(const std::string& name) {
    for (const JsonObject& job : house_.jobs()) {
      const bool its = text_or(job, "command") == "execute_code session " + name;
      if (its && text_or(job, "status") == "running") return text_or(job, "sessionId");
    }
    return "";
  }
  void await_idle(const std::string& name = "a") {
    await("the interpreter to be idle", [&] {
      return !boolean_or(house_.run_code("pass", {{"session", name}}), "busy");
    });
  }
  void expect_lost(const JsonObject& details) {
    EXPECT_TRUE(boolean_or(details, "session_lost")) << write_json(details);
    EXPECT_EQ(output("print('x' in globals()); x = 1"), "False\n");  // a new one, under the same name
    EXPECT_EQ(output("print(x)"), "1\n");
  }

  CodeHouse house_;
};

constexpr const char* deaf = "while True:\n    try: time.sleep(60)\n    except KeyboardInterrupt: pass\n";

// --- what survives ---

TEST_F(CodeSessionTest, VariablesAndImportsSurvive) {
  const JsonObject first = run("import json, os\nx = 41\ndef double(n): return 2 * n\nos.environ['MINE'] = '1'");
  EXPECT_EQ(text_or(first, "session"), "a");
  const std::string tell = "x += 1\nprint(json.dumps(x), double(x), os.environ['MINE'])";
  EXPECT_EQ(output(tell), "42 84 1\n");
  EXPECT_EQ(output(tell), "43 86 1\n");
  // A run without a name is a fresh one.
  EXPECT_EQ(text_or(house_.run_code("print('x' in globals())"), "output"), "False\n");
}

TEST_F(CodeSessionTest, ToolsCanBeCalledInEveryRunAndAreCountedInEach) {
  house_.put("a.txt", "content\n");
  for (int run_number = 0; run_number < 3; ++run_number) {
    const JsonObject details = run("from hermes_tools import read_file\nprint(read_file('a.txt')['content'], end='')",
                                   {{"max_tool_calls", 1}});
    EXPECT_EQ(text_or(details, "output"), "content\n");
    EXPECT_EQ(integer_or(details, "tool_calls_made"), 1);
  }
}

TEST_F(CodeSessionTest, NamesAndAgentsDoNotSeeEachOther) {
  EXPECT_EQ(output("x = 'of a'"), "");
  EXPECT_EQ(output("print('x' in globals()); x = 'of b'", {{"session", "b"}}), "False\n");
  EXPECT_EQ(output_as("other agent", "print('x' in globals()); x = 'of another'"), "False\n");
  EXPECT_EQ(output("print(x)"), "of a\n");
  EXPECT_EQ(output("print(x)", {{"session", "b"}}), "of b\n");
  EXPECT_EQ(output_as("other agent", "print(x)"), "of another\n");
}

TEST_F(CodeSessionTest, EachRunShowsItsOwnOutput) {
  EXPECT_EQ(output("import sys, threading\nprint('first', end='')"), "first");
  const JsonObject failed = run("print('second')\nprint('aside', file=sys.stderr)\n1 / 0");
  EXPECT_EQ(text_or(failed, "error"), "ZeroDivisionError: division by zero");
  EXPECT_THAT(text_or(failed, "output"),
              AllOf(StartsWith("second\n--- stderr ---\naside\nTraceback"), HasSubstr("    1 / 0\n")));
  const JsonObject third = run("print('third')");
  EXPECT_EQ(text_or(third, "output"), "third\n");
  EXPECT_EQ(text_or(third, "stderr"), "");
  EXPECT_EQ(integer_or(third, "stdout_bytes_total"), 6);
}

TEST_F(CodeSessionTest, EachRunIsCutByItselfAndKeptInItsOwnFile) {
  house_.configure("code_execution.max_stdout_bytes", "1000");
  std::vector<std::string> files;
  for (const char* letter : {"a", "b"}) {
    const JsonObject details = run(std::string("print('") + letter + "' * 3000)");
    EXPECT_TRUE(boolean_or(details, "stdout_truncated"));
    EXPECT_EQ(integer_or(details, "stdout_bytes_total"), 3001);
    EXPECT_THAT(text_or(details, "output"), AllOf(HasSubstr("[output truncated at 1KB]"), HasSubstr("2,001 bytes")));
    files.push_back(text_or(details, "output_file"));
    EXPECT_THAT(text_of(house_.call("read_file", {{"path", files.back()}})), StartsWith(std::string("1|") + letter));
    EXPECT_EQ(*read_file(files.back()), std::string(3000, *letter) + "\n");
  }
  EXPECT_NE(files[0], files[1]);
}

TEST_F(CodeSessionTest, AnErrorShowsTheLinesOfTheRunTheyAreIn) {
  output("def broken():\n    raise ValueError('from the first run')");
  const JsonObject details = run("# second\nbroken()");
  EXPECT_THAT(text_or(details, "output"),
              AllOf(HasSubstr("line 2, in <module>\n    broken()\n"),
                    HasSubstr("line 2, in broken\n    raise ValueError('from the first run')\n")));
  EXPECT_EQ(text_or(run("x = (1,\n"), "status"), "error");
  EXPECT_EQ(output("print(callable(broken))"), "True\n");
}

TEST_F(CodeSessionTest, ExitEndsOnlyTheRun) {
  output("x = 1");
  const JsonObject three = run("print('before')\nimport sys; sys.exit(3)\nprint('after')");
  EXPECT_EQ(text_or(three, "status"), "error");
  EXPECT_EQ(integer_or(three, "exit_code"), 3);
  EXPECT_THAT(text_or(three, "output"), AllOf(StartsWith("before\n"), Not(HasSubstr("after"))));
  EXPECT_EQ(output("print('fine'); exit()"), "fine\n");
  EXPECT_EQ(output("print(x)"), "1\n");
}

TEST_F(CodeSessionTest, AThreadOfAnEarlierRunIsToldThatItIsLate) {
  house_.put("a.txt", "content\n");
  output(R"py(
import json, os, threading, time
from hermes_tools import read_file
def later():
    while not os.path.exists('go'): time.sleep(0.01)
    open('said.part', 'w').write(json.dumps(read_file('a.txt')))
    os.rename('said.part', 'said')
threading.Thread(target=later).start()
)py");
  house_.put("go", "");
  await("the thread to be answered", [&] { return exists(house_.path("said")); });
  EXPECT_EQ(house_.get("said"), R"({"error": "This call came after its run had ended."})");
  EXPECT_EQ(output("print(read_file('a.txt')['content'], end='')"), "content\n");
}

TEST_F(CodeSessionTest, AChildProcessDoesNotAnswerForItsParent) {
  output("x = 1");
  EXPECT_EQ(output("import os\nif os.fork() == 0:\n    x = 2\n    raise SystemExit(5)\nos.wait(); print('parent')"),
            "parent\n");
  EXPECT_EQ(output("print(x)"), "1\n");
}

TEST_F(CodeSessionTest, StrictKeepsItsDirectoryFromRunToRun) {
  const JsonObject strict{{"mode", "strict"}};
  const std::string folder = output("import os; open('mine', 'w').write('x'); print(os.getcwd())", strict);
  EXPECT_THAT(folder, StartsWith("/tmp/"));
  EXPECT_EQ(output("print(open('mine').read(), os.getcwd())", strict), "x " + folder);
  EXPECT_EQ(output("print(os.getcwd())"), folder);  // the mode is that of the interpreter
  house_.process("kill", job_of("a"));
  const std::string look = "import os; print(os.path.exists('" + folder.substr(0, folder.size() - 1) + "'))";
  await("the directory to be gone", [&] { return text_or(house_.run_code(look, strict), "output") == "False\n"; });
}

// --- one at a time, four at most ---

TEST_F(CodeSessionTest, ASecondCallMeanwhileIsToldThatItIsBusy) {
  RpcClient running = start("while not os.path.exists('go'): time.sleep(0.01)\nprint('done'); held.close()");
  const JsonObject busy = run("print(1)");
  EXPECT_EQ(text_or(busy, "status"), "error");
  EXPECT_TRUE(boolean_or(busy, "busy"));
  EXPECT_THAT(text_or(busy, "error"), AllOf(StartsWith("busy"), HasSubstr(job_of("a")), HasSubstr("reset=true")));
  EXPECT_EQ(output("print('meanwhile')", {{"session", "b"}}), "meanwhile\n");
  house_.put("go", "");
  EXPECT_EQ(text_of(house_.finish_code(running)), "done\n");
  EXPECT_EQ(output("print(1)"), "1\n");
}

TEST_F(CodeSessionTest, AFifthIsRefusedAndTheFourAreNamed) {
  for (const char* name : {"one", "two", "three", "four"}) output("x = 1", {{"session", name}});
  const JsonObject fifth = run("pass", {{"session", "five"}});
  EXPECT_EQ(text_or(fifth, "status"), "error");
  for (const char* name : {"one", "two", "three", "four", "process kill"}) {
    EXPECT_THAT(text_or(fifth, "error"), HasSubstr(name));
  }
  EXPECT_EQ(output("print(x)", {{"session", "four"}}), "1\n");
  EXPECT_EQ(output_as("other agent", "print(1)"), "1\n");
  EXPECT_EQ(text_or(house_.run_code("print(1)"), "output"), "1\n");
  house_.process("kill", job_of("two"));
  EXPECT_EQ(output("print(5)", {{"session", "five"}}), "5\n");
}

TEST_F(CodeSessionTest, ItStaysInTheModeItWasStartedIn) {
  output("x = 1");
  const JsonObject refused = run("pass", {{"mode", "strict"}});
  EXPECT_EQ(text_or(refused, "status"), "error");
  EXPECT_THAT(text_or(refused, "error"), AllOf(HasSubstr("mode project"), HasSubstr("reset=true")));
  EXPECT_EQ(output("print(x)", {{"mode", "project"}}), "1\n");
  EXPECT_THAT(output("import os; print(os.getcwd())", {{"mode", "strict"}, {"reset", true}}), StartsWith("/tmp/"));
}

// --- interrupts ---

TEST_F(CodeSessionTest, AnInterruptIsAKeyboardInterruptFirst) {
  output("x = 1");
  { RpcClient running = start("y = 2\ntry: time.sleep(60)\nfinally: held.close()"); }
  await_idle();
  EXPECT_EQ(output("print(x, y)"), "1 2\n");
  const JsonObject polled = house_.process("poll", job_of("a"));
  const JsonObject* result = object_or_null(details_of(polled), "result");
  ASSERT_TRUE(result) << write_json(polled);
  EXPECT_EQ(text_or(*result, "status"), "interrupted");
  EXPECT_THAT(text_or(*result, "output"), HasSubstr("[execution interrupted"));
}

TEST_F(CodeSessionTest, AProgramThatIgnoresTheInterruptIsKilled) {
  output("x = 1");
  const std::string job = job_of("a");
  {
    const std::string ignoring = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('begun')\n";
    RpcClient running = house_.start_code(ignoring + holding("held") + "time.sleep(60)", {{"session", "a"}});
    house_.await_held("held");
  }
  house_.await_free("held");
  await("the interpreter to be gone", [&] { return status_of(house_.process("poll", job)) != "running"; });
  const JsonObject polled = house_.process("poll", job);
  const JsonObject* result = object_or_null(details_of(polled), "result");
  ASSERT_TRUE(result) << write_json(polled);
  EXPECT_EQ(text_or(*result, "status"), "interrupted");
  EXPECT_THAT(text_or(*result, "output"), StartsWith("begun\n"));
  expect_lost(*result);
}

TEST_F(CodeSessionTest, ATimeoutIsAKeyboardInterruptFirstToo) {
  output("x = 1");
  const JsonObject timed_out = run("print('begun'); import time; time.sleep(60)", {{"timeout", 1}});
  EXPECT_EQ(text_or(timed_out, "status"), "timeout");
  EXPECT_THAT(text_or(timed_out, "output"), AllOf(StartsWith("begun\n"), HasSubstr("timed out after 1s")));
  EXPECT_FALSE(boolean_or(timed_out, "session_lost"));
  EXPECT_EQ(output("print(x)"), "1\n");
  const JsonObject killed = run(std::string("print('begun')\n") + deaf, {{"timeout", 1}});
  EXPECT_EQ(text_or(killed, "status"), "timeout");
  EXPECT_THAT(text_or(killed, "output"), AllOf(StartsWith("begun\n"), HasSubstr("timed out after 1s")));
  expect_lost(killed);
}

TEST_F(CodeSessionTest, AToolCallIsInterruptedWithItsRun) {
  output("from hermes_tools import terminal\nx = 1");
  const JsonObject details =
      run("terminal(\"" + shell_holding("shell") + "sleep 60\")\nprint('not reached')", {{"timeout", 1}});
  EXPECT_EQ(text_or(details, "status"), "timeout");
  EXPECT_FALSE(boolean_or(details, "session_lost")) << write_json(details);
  house_.await_free("shell");
  EXPECT_EQ(output("print(x, terminal('echo again')['output'], end='')"), "1 again\n");
}

// --- ends ---

TEST_F(CodeSessionTest, ResetStartsAnew) {
  EXPECT_EQ(output("x = 1; print('x')", {{"reset", true}}), "x\n");  // nothing to be reset is fine
  EXPECT_EQ(output("print('x' in globals()); x = 2", {{"reset", true}}), "False\n");
  EXPECT_EQ(output("print(x)"), "2\n");
}

TEST_F(CodeSessionTest, ResetEndsWhatRuns) {
  RpcClient running = start("print('begun'); time.sleep(60)");
  EXPECT_EQ(output("print('anew')", {{"reset", true}}), "anew\n");
  house_.await_free("held");
  const JsonObject ended = house_.finish_code(running);
  EXPECT_EQ(status_of(ended), "interrupted") << write_json(ended);
  EXPECT_THAT(text_or(details_of(ended), "output"), StartsWith("begun\n"));
}

TEST_F(CodeSessionTest, AnInterpreterThatEndsItselfIsLost) {
  output("x = 1");
  const JsonObject left = run("print('before'); import os; os._exit(7)");
  EXPECT_EQ(text_or(left, "status"), "error");
  EXPECT_EQ(integer_or(left, "exit_code"), 7);
  EXPECT_THAT(text_or(left, "output"), StartsWith("before\n"));
  expect_lost(left);
  const JsonObject clean = run("import os; os._exit(0)");
  EXPECT_EQ(text_or(clean, "status"), "error");  // it was to stay
  expect_lost(clean);
}

TEST_F(CodeSessionTest, OneThatDiesBetweenTwoRunsIsReplaced) {
  output("import os, threading, time\nx = 1\nthreading.Timer(0.2, os._exit, [1]).start()");
  const std::string job = job_of("a");
  await("it to be gone", [&] { return status_of(house_.process("poll", job)) != "running"; });
  EXPECT_EQ(output("print('x' in globals())"), "False\n");
}

TEST_F(CodeSessionTest, AnIdleOneIsReaped) {
  house_.configure("code_execution.kernel_idle_timeout", "1");
  output("x = 1");
  const std::string job = job_of("a");
  await("it to be gone", [&] { return status_of(house_.process("poll", job)) != "running"; });
  EXPECT_EQ(output("print('x' in globals())"), "False\n");
  EXPECT_EQ(output("import time; time.sleep(1.5); print('ran on')"), "ran on\n");  // one that works is not idle
}

TEST_F(CodeSessionTest, KillingItsJobEndsItAndAllOfIts) {
  output(holding("held") + "import subprocess\nsubprocess.Popen(['sleep', '60'], close_fds=False)");
  house_.await_held("held");
  house_.process("kill", job_of("a"));
  house_.await_free("held");
  EXPECT_EQ(job_of("a"), "");
  EXPECT_EQ(output("print('x' in globals())"), "False\n");
}

TEST_F(CodeSessionTest, TheyEndWithTheGatewayWhenJobsAreToEnd) {
  output(holding("held"));
  house_.await_held("held");
  ASSERT_EQ(house_.run({"serve", "--stop", "--end-jobs"}).code, 0);
  house_.await_free("held");
}

}  // namespace
}  // namespace talaria
