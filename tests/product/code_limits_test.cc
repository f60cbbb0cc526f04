// What a program may take and how it is stopped: output, time, calls, memory; interrupted, handed back, killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "base/utf8.h"
#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* interrupted_line = "[execution interrupted — user sent a new message]";

class CodeLimitsTest : public testing::Test {
 protected:
  JsonObject print_bytes(int count) {
    return house_.run_code("import sys\nsys.stdout.write(''.join(chr(97 + i % 26) for i in range(" +
                           std::to_string(count) + ")))");
  }
  static std::string alphabet(int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i) text += static_cast<char>('a' + i % 26);
    return text;
  }
  // A small sandbox, for what fills it.
  void limit(const std::string& name, int64_t value) {
    house_.configure("sandbox.profiles.small.limits." + name, std::to_string(value));
    house_.configure("sandbox.profile", "small");
  }
  void expect_stopped(const JsonObject& details, const std::string& which) {
    EXPECT_EQ(text_or(details, "status"), "error") << write_json(details);
    const JsonObject* why = object_or_null(details, "stopped_by");
    ASSERT_TRUE(why) << write_json(details);
    EXPECT_EQ(text_or(*why, "limit"), which);
    EXPECT_THAT(text_or(details, "output"), StartsWith("before\n"));
    EXPECT_THAT(text_or(details, "error"), HasSubstr(which));
  }
  // What became of the last run, as somebody finds it who was not there.
  JsonObject result_of(const std::string& id) {
    JsonObject found;
    await("the result of " + id, [&] {
      const JsonObject polled = details_of(house_.process("poll", id));
      const JsonObject* result = object_or_null(polled, "result");
      if (result) found = *result;
      return result != nullptr;
    });
    return found;
  }

  CodeHouse house_;
};

// --- output ---

TEST_F(CodeLimitsTest, ShowsFiftyThousandBytesWhole) {
  const JsonObject details = print_bytes(50'000);
  EXPECT_EQ(text_or(details, "output"), alphabet(0, 50'000));
  EXPECT_FALSE(boolean_or(details, "stdout_truncated", true));
  EXPECT_EQ(integer_or(details, "stdout_bytes_total"), 50'000);
  EXPECT_FALSE(details.contains("output_file"));
}

TEST_F(CodeLimitsTest, CutsMoreInTheMiddleAndSaysHowMuchIsMissing) {
  for (const auto& [count, missing] : {std::pair(50'001, "1 byte"), std::pair(200'001, "150,001 bytes")}) {
    const JsonObject details = print_bytes(count);
    EXPECT_EQ(text_or(details, "output"), alphabet(0, 20'000) + "\n[output truncated at 50KB] " + missing +
                                              " left out\n" + alphabet(count - 30'000, count));
    EXPECT_TRUE(boolean_or(details, "stdout_truncated"));
    EXPECT_EQ(integer_or(details, "stdout_bytes_total"), count);
    EXPECT_EQ(*read_file(text_or(details, "output_file")), alphabet(0, count));
  }
}

TEST_F(CodeLimitsTest, NeverCutsThroughACharacter) {
  for (int shift = 0; shift < 4; ++shift) {
    const JsonObject details =
        house_.run_code("print('" + std::string(static_cast<size_t>(shift), 'x') + "' + '🙂' * 20000, end='')");
    const std::string output = text_or(details, "output");
    EXPECT_TRUE(is_utf8(output));
    EXPECT_EQ(output.find("\xEF\xBF\xBD"), std::string::npos) << "a broken character at shift " << shift;
    const size_t gap = output.find("\n[output truncated at 50KB] "), after = output.find('\n', gap + 1);
    ASSERT_NE(gap, std::string::npos);
    std::string number = output.substr(gap + 28, output.find(' ', gap + 28) - gap - 28);
    std::erase(number, ',');
    EXPECT_EQ(gap + (output.size() - after - 1) + std::stoul(number), 80'000U + static_cast<size_t>(shift));
  }
}

TEST_F(CodeLimitsTest, TheWholeOutputIsForTheSameSessionOnly) {
  const JsonObject details = house_.run_code("for i in range(1, 20001): print(i)");
  const std::string file = text_or(details, "output_file");
  EXPECT_EQ(text_of(house_.call("read_file", {{"path", file}, {"offset", 12'345}, {"limit", 1}})).substr(0, 11),
            "12345|12345");
  EXPECT_EQ(text_or(house_.run_code("from hermes_tools import read_file\n"
                                    "print(read_file('" +
                                    file + "', offset=19999)['content'], end='')"),
                    "output"),
            "19999\n20000\n");
  const JsonObject other = house_.call_as("other", "read_file", {{"path", file}});
  EXPECT_TRUE(boolean_or(other, "isError")) << write_json(other);
  EXPECT_THAT(text_of(other), testing::Not(HasSubstr("12345")));
}

TEST_F(CodeLimitsTest, ACutOutputNamesAWayToTheRestThatTheSessionHas) {
  const JsonObject cut = house_.call("execute_code", {{"code", "for i in range(1, 20001): print(i)"}});
  const std::string text = text_of(cut), mark = "process log with sessionId ";
  const size_t at = text.find(mark);
  ASSERT_NE(at, std::string::npos) << text.substr(text.size() - 500);
  EXPECT_THAT(text, testing::Not(HasSubstr(text_or(details_of(cut), "output_file"))));
  const JsonObject log = house_.call(
      "process",
      {{"action", "log"}, {"sessionId", text.substr(at + mark.size(), 8)}, {"offset", 12'344}, {"limit", 1}});
  EXPECT_THAT(text_of(log), StartsWith("12345\n"));
}

TEST_F(CodeLimitsTest, ShowsHeadAndTailOfALongStderr) {
  const std::string program = "import sys\nsys.stderr.write('HEAD' + 'x' * 100000 + 'TAIL')\n";
  JsonObject details = house_.run_code(program + "print('shown')");
  EXPECT_EQ(text_or(details, "output"), "shown\n");
  std::string errors = text_or(details, "stderr");
  EXPECT_THAT(errors, AllOf(StartsWith("HEADxxx"), HasSubstr("90,008 bytes left out"), EndsWith("xxxTAIL")));
  EXPECT_LT(errors.size(), 10'100U);
  details = house_.run_code(program + "print('shown')\nsys.exit(1)");
  EXPECT_THAT(text_or(details, "output"), AllOf(StartsWith("shown\n--- stderr ---\nHEADxxx"), HasSubstr("xxxTAIL")));
  EXPECT_LT(text_or(details, "output").size(), 10'300U);
}

TEST_F(CodeLimitsTest, TheLimitsOfOutputCanBeConfigured) {
  house_.configure("code_execution.max_stdout_bytes", "1000");
  house_.configure("code_execution.max_stderr_bytes", "1000");
  const JsonObject details = house_.run_code("import sys\nprint('x' * 2000)\nprint('y' * 2000, file=sys.stderr)");
  EXPECT_THAT(text_or(details, "output"), HasSubstr("[output truncated at 1KB] 1,001 bytes left out"));
  EXPECT_LT(text_or(details, "stderr").size(), 1100U);
}

// --- time ---

TEST_F(CodeLimitsTest, EndsAProgramWhoseTimeIsOver) {
  const JsonObject details = house_.run_code(
      holding("lock") + "print('partial', end='')\nprint('aside', file=sys.stderr)\ntime.sleep(60)", {{"timeout", 1}});
  EXPECT_EQ(text_or(details, "status"), "timeout");
  EXPECT_EQ(text_or(details, "output"), "partial\nScript timed out after 1s and was killed.");
  EXPECT_EQ(text_or(details, "error"), "Script timed out after 1s and was killed.");
  EXPECT_EQ(text_or(details, "stderr"), "aside\n");
  EXPECT_EQ(integer_or(details, "stdout_bytes_total"), 7);
  EXPECT_GE(details.at("duration_seconds").to_number<double>(), 1.0);
  house_.await_free("lock");
}

TEST_F(CodeLimitsTest, OneThatIgnoresTheWarningIsKilledWithAllItsChildren) {
  const JsonObject details = house_.run_code(holding("lock") + R"py(
import signal
signal.signal(signal.SIGTERM, lambda *_: print('asked to end', flush=True))
signal.signal(signal.SIGINT, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True: time.sleep(60)
print('begun')
while True: time.sleep(60)
)py",
                                             {{"timeout", 1}});
  EXPECT_EQ(text_or(details, "status"), "timeout");
  EXPECT_THAT(text_or(details, "output"), AllOf(StartsWith("begun\nasked to end\n"), HasSubstr("Script timed out")));
  house_.await_free("lock");
}

TEST_F(CodeLimitsTest, ACallGetsLessTimeAndFewerCallsThanConfiguredButNotMore) {
  house_.configure("code_execution.timeout", "1");
  house_.configure("code_execution.max_tool_calls", "3");
  const JsonObject slow = house_.run_code("import time; time.sleep(60)", {{"timeout", 100}, {"max_tool_calls", 4}});
  EXPECT_EQ(text_or(slow, "error"), "Script timed out after 1s and was killed.");
  const JsonArray& notes = slow.at("notes").as_array();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(std::string(notes[0].as_string()), HasSubstr("code_execution.timeout"));
  EXPECT_THAT(std::string(notes[1].as_string()), HasSubstr("code_execution.max_tool_calls"));
  EXPECT_EQ(text_or(house_.run_code("import time; time.sleep(60)", {{"timeout", 0.2}}), "error"),
            "Script timed out after 0.2s and was killed.");
}

// --- calls ---

TEST_F(CodeLimitsTest, TheFiftyFirstCallReturnsAnErrorAndIsNotCounted) {
  house_.put("a.txt", "content\n");
  const JsonObject details = house_.run_code(R"py(
from hermes_tools import read_file
results = [read_file('a.txt') for i in range(53)]
print(sum('content' in r for r in results), results[50], results[50] == results[52])
)py");
  EXPECT_EQ(text_or(details, "status"), "success");
  EXPECT_EQ(text_or(details, "output"),
            "50 {'error': 'Tool call limit reached (50). No more tool calls allowed in this execution.'} True\n");
  EXPECT_EQ(integer_or(details, "tool_calls_made"), 50);
}

TEST_F(CodeLimitsTest, ACallCanAllowFewerCalls) {
  const std::string program =
      "from hermes_tools import terminal\nfor i in range(3): print(terminal('echo hi').get('error', 'fine'))";
  const JsonObject details = house_.run_code(program, {{"max_tool_calls", 2}});
  EXPECT_EQ(text_or(details, "output"),
            "fine\nfine\nTool call limit reached (2). No more tool calls allowed in this execution.\n");
  EXPECT_THAT(text_or(house_.run_code(program, {{"max_tool_calls", 0}}), "output"),
              StartsWith("Tool call limit reached (0)."));
}

TEST_F(CodeLimitsTest, RunsAtMostAsManyCallsAtOnceAsAreAllowed) {
  house_.configure("code_execution.max_parallel_calls", "2");
  const JsonObject details = house_.run_code(R"py(
from hermes_tools import parallel_map, terminal
import os
os.mkdir('running')
# The first waits until it is not alone; all of them say how many there are.
command = '''mkdir running/{0}; while true; do n=$(ls running | wc -l); echo $n
[ $n -ge 2 ] && touch high; [ -e high ] && break; sleep 0.02; done; ls running | wc -l; rmdir running/{0}'''
seen = [r['output'].split() for r in parallel_map(lambda i: terminal(command.format(i), timeout=20), range(6))]
print(max(int(n) for words in seen for n in words), len(seen))
)py");
  EXPECT_EQ(text_or(details, "output"), "2 6\n") << write_json(details);
}

// --- the sandbox ---

TEST_F(CodeLimitsTest, MemoryEndsAtItsLimit) {
  limit("memory_bytes", 128 << 20);
  expect_stopped(
      house_.run_code("print('before')\ntake = []\nwhile True: take.append(b'x' * (8 << 20))", {{"timeout", 40}}),
      "memory");
}

TEST_F(CodeLimitsTest, TheDiskEndsAtItsLimit) {
  limit("growth_bytes", 32 << 20);
  limit("file_bytes", 1 << 30);
  expect_stopped(house_.run_code("import os\nprint('before')\nwith open('big', 'wb') as f:\n  for i in range(400):\n"
                                 "    f.write(b'x' * (1 << 20)); f.flush(); os.fsync(f.fileno())\n"
                                 "import time; time.sleep(30)",
                                 {{"timeout", 40}}),
                 "disk");
}

TEST_F(CodeLimitsTest, ProcessesEndAtTheirLimit) {
  limit("processes", 40);
  const JsonObject details = house_.run_code(holding("lock") + R"py(
print('before')
for i in range(400):
    if os.fork() == 0:
        os.setsid()
        while True: time.sleep(60)
)py",
                                             {{"timeout", 40}});
  EXPECT_EQ(text_or(details, "status"), "error") << write_json(details);
  EXPECT_THAT(text_or(details, "output"), StartsWith("before\n"));
  const JsonObject* why = object_or_null(details, "stopped_by");  // or the fork itself has failed
  EXPECT_THAT(why ? text_or(*why, "limit") : text_or(details, "error"),
              AnyOf("processes", HasSubstr("Resource temporarily unavailable")));
  house_.await_free("lock");
}

// --- interrupted ---

TEST_F(CodeLimitsTest, DroppingTheConnectionEndsTheProgramAndWhatItCalled) {
  {
    const RpcClient client = house_.start_code(holding("program") +
                                               "from hermes_tools import terminal\nprint('printed')\n"
                                               "terminal('" +
                                               shell_holding("command") + "sleep 600 & touch begun; wait')");
    await("the command to begin", [&] { return exists(house_.path("begun")); });
    house_.await_held("program");
    house_.await_held("command");
  }
  house_.await_free("program");
  house_.await_free("command");
  std::string id;
  for (const JsonObject& job : house_.jobs()) {
    if (text_or(job, "command").starts_with("execute_code")) id = text_or(job, "sessionId");
  }
  const JsonObject result = result_of(id);
  EXPECT_EQ(text_or(result, "status"), "interrupted") << write_json(result);
  EXPECT_EQ(text_or(result, "output"), "printed\n" + std::string(interrupted_line));
  EXPECT_EQ(integer_or(result, "tool_calls_made"), 1);
}

TEST_F(CodeLimitsTest, ProcessKillInterruptsAndTheResultStays) {
  const JsonObject started =
      house_.call_code(holding("program") + "from hermes_tools import terminal\nprint('printed')\nterminal('" +
                           shell_holding("command") + "sleep 600 & touch begun; wait')",
                       {{"yieldMs", 10}});
  EXPECT_EQ(status_of(started), "running") << write_json(started);
  await("the command to begin", [&] { return exists(house_.path("begun")); });
  house_.process("kill", id_of(started));
  house_.await_free("program");
  house_.await_free("command");
  const JsonObject result = result_of(id_of(started));
  EXPECT_EQ(text_or(result, "status"), "interrupted") << write_json(result);
  EXPECT_EQ(text_or(result, "output"), "printed\n" + std::string(interrupted_line));
}

TEST_F(CodeLimitsTest, KillingOneThatSomebodyWaitsForAnswersThem) {
  RpcClient client = house_.start_code("print('printed')\n" + holding("program") + "time.sleep(600)");
  house_.await_held("program");
  const std::vector<JsonObject> jobs = house_.jobs();
  ASSERT_EQ(jobs.size(), 1U);
  house_.process("kill", text_or(jobs[0], "sessionId"));
  const JsonObject result = house_.finish_code(client);
  EXPECT_EQ(status_of(result), "interrupted") << write_json(result);
  EXPECT_THAT(text_or(details_of(result), "output"), AllOf(StartsWith("printed\n"), EndsWith(interrupted_line)));
}

TEST_F(CodeLimitsTest, ACallDroppedAtAnyMomentLeavesNothing) {
  for (int round = 0; round < 30; ++round) {
    const RpcClient client = house_.start_code(holding("lock") +
                                               "from hermes_tools import terminal\n"
                                               "terminal('sleep 600')\ntime.sleep(600)");
    ::poll(nullptr, 0, round * 3);  // at another point of its life each time
  }
  await("nothing to run any more", [&] { return house_.run({"ps", "--running", "-q"}).out.empty(); });
  house_.await_free("lock");
  EXPECT_EQ(text_or(house_.run_code("print('next')"), "output"), "next\n");
}

TEST_F(CodeLimitsTest, ManyRunsLeaveNothingOpen) {
  // Only root may count those of our programs; others see how large the table has grown.
  const auto fds_of = [](pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    if (const Result<std::vector<std::string>> entries = list_directory(folder + "/fd")) return entries->size();
    const std::string status = *read_file(folder + "/status");
    return static_cast<size_t>(std::stoul(status.substr(status.find("FDSize:") + 7)));
  };
  house_.put("a.txt", "content\n");
  const std::string program = "from hermes_tools import *\nprint(len(parallel_map(read_file, ['a.txt'] * 8)))";
  for (int i = 0; i < 5; ++i) house_.run_code(program);
  const pid_t gateway = house_.gateway_pid(), keeper = house_.keeper_pid();
  const size_t gateway_fds = fds_of(gateway), keeper_fds = fds_of(keeper);
  for (int i = 0; i < 40; ++i) EXPECT_THAT(text_or(house_.run_code(program), "output"), StartsWith("8\n"));
  await("what they opened to be closed",
        [&] { return fds_of(gateway) <= gateway_fds + 4 && fds_of(keeper) <= keeper_fds + 4; });
}

// --- handed back ---

TEST_F(CodeLimitsTest, AProgramThatTakesLongIsHandedBackAndItsResultCanBePolled) {
  Running events = house_.start({"events", "--json"});
  const JsonObject started = house_.call_code(R"py(
import os, time
from hermes_tools import terminal
print('early')
while not os.path.exists('go'): time.sleep(0.02)
print(terminal('echo late')['output'], end='')
)py",
                                              {{"yieldMs", 10}});
  EXPECT_EQ(status_of(started), "running");
  const std::string id = id_of(started);
  EXPECT_THAT(text_of(started), HasSubstr(id));
  const JsonObject early = house_.process("wait", id, {{"until", "early"}, {"timeout", 20000}});
  EXPECT_TRUE(details_of(early).contains("found")) << write_json(early);
  EXPECT_FALSE(details_of(early).contains("result"));
  house_.put("go", "");
  events.await_output(id);
  const JsonObject late = house_.process("wait", id, {{"timeout", 20000}});
  EXPECT_EQ(text_or(details_of(house_.process("poll", id, {{"offset", 0}})), "output"), "early\nlate\n");
  const JsonObject result = result_of(id);
  EXPECT_EQ(text_or(result, "status"), "success") << write_json(late);
  EXPECT_EQ(text_or(result, "output"), "early\nlate\n");
  EXPECT_EQ(integer_or(result, "tool_calls_made"), 1);
}

TEST_F(CodeLimitsTest, WhoeverWaitsForItsEndGetsTheResultWithIt) {
  for (const char* action : {"wait", "poll", "wait", "poll"}) {
    const JsonObject started = house_.call_code("import time\ntime.sleep(0.3)\nprint('late')", {{"yieldMs", 10}});
    ASSERT_EQ(status_of(started), "running") << write_json(started);
    const JsonObject ended = house_.process(action, id_of(started), {{"timeout", 20000}});
    const JsonObject all = status_of(ended) == "running" ? house_.process("wait", id_of(started)) : ended;
    const JsonObject* result = object_or_null(details_of(all), "result");
    ASSERT_TRUE(result) << action << ": " << write_json(all);
    EXPECT_EQ(text_or(*result, "output"), "late\n");
  }
}

TEST_F(CodeLimitsTest, OneThatWasHandedBackIsStoppedInTimeToo) {
  const JsonObject started =
      house_.call_code(holding("lock") + "print('early')\ntime.sleep(600)", {{"yieldMs", 10}, {"timeout", 1}});
  EXPECT_EQ(status_of(started), "running");
  const JsonObject result = result_of(id_of(started));
  EXPECT_EQ(text_or(result, "status"), "timeout") << write_json(result);
  EXPECT_EQ(text_or(result, "output"), "early\nScript timed out after 1s and was killed.");
  house_.await_free("lock");
}

}  // namespace
}  // namespace talaria
