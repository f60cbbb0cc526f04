// execute_code: what a program prints, how it ends, and what it leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CodeRunTest : public testing::Test {
 protected:
  // What is not the same every time is checked for being there, and left out.
  static JsonObject settled(JsonObject details) {
    const Json* duration = details.if_contains("duration_seconds");
    EXPECT_TRUE(duration && duration->is_number() && duration->to_number<double>() >= 0) << write_json(details);
    const JsonObject* sandbox = object_or_null(details, "sandbox");
    EXPECT_TRUE(sandbox && integer_or(*sandbox, "tier", -1) == 1 && text_or(*sandbox, "profile") != "" &&
                text_or(*sandbox, "network") != "" && sandbox->contains("missing"))
        << write_json(details);
    EXPECT_THAT(text_or(details, "python"), StartsWith("/"));
    for (const char* name : {"duration_seconds", "sandbox", "python", "warm_start", "agentSession"}) {
      EXPECT_TRUE(details.erase(name)) << name;
    }
    return details;
  }
  std::string output(const std::string& source) {
    const JsonObject details = house_.run_code(source);
    EXPECT_EQ(text_or(details, "status"), "success") << write_json(details);
    return text_or(details, "output");
  }
  JsonObject expect_failure(const std::string& source, int exit_code) {
    JsonObject details = house_.run_code(source);
    EXPECT_EQ(text_or(details, "status"), "error") << write_json(details);
    EXPECT_EQ(integer_or(details, "exit_code", -99), exit_code) << write_json(details);
    EXPECT_NE(text_or(details, "error"), "");
    return details;
  }

  CodeHouse house_;
};

// --- what is returned ---

TEST_F(CodeRunTest, ReturnsWhatItPrintsAndNothingElse) {
  const JsonObject result = house_.call_code("x = 6 * 7\nx\nprint(x)");
  EXPECT_EQ(text_of(result), "42\n");
  EXPECT_FALSE(boolean_or(result, "isError"));
  EXPECT_EQ(settled(details_of(result)), (JsonObject{{"status", "success"},
                                                     {"output", "42\n"},
                                                     {"tool_calls_made", 0},
                                                     {"exit_code", 0},
                                                     {"stdout_bytes_total", 3},
                                                     {"stdout_truncated", false},
                                                     {"context_bytes_saved", 0}}));
}

TEST_F(CodeRunTest, KeepsStderrOfASuccessOutOfTheOutput) {
  const JsonObject details = house_.run_code("import sys; print('shown'); print('aside', file=sys.stderr)");
  EXPECT_EQ(text_or(details, "status"), "success");
  EXPECT_EQ(text_or(details, "output"), "shown\n");
  EXPECT_EQ(text_or(details, "stderr"), "aside\n");
}

TEST_F(CodeRunTest, RunsAsAnyProgramDoes) {
  EXPECT_EQ(output("print(__name__)\nif __name__ == '__main__': print('main')"), "__main__\nmain\n");
  EXPECT_EQ(output("import sys; print(sys.argv, sys.stdin.read() == '')"), "['execute_code'] True\n");
  EXPECT_EQ(output("import os; print(os.getcwd())"), house_.workspace() + "\n");
  EXPECT_EQ(output("import sys; print(sorted(n for n in globals() if not n.startswith('__')))"), "['sys']\n");
  EXPECT_EQ(output("# nothing but a comment"), "");
  EXPECT_EQ(text_of(house_.call_code("pass")), "(no output)");
}

TEST_F(CodeRunTest, EveryRunIsAFreshProcess) {
  EXPECT_EQ(output("left_over = 1; import os; os.environ['LEFT'] = '1'; print(1)"), "1\n");
  EXPECT_EQ(output("import os; print('left_over' in globals(), 'LEFT' in os.environ)"), "False False\n");
}

TEST_F(CodeRunTest, LosesNothingThatWasPrintedBeforeTheEnd) {
  EXPECT_EQ(output("import os; print('kept'); os._exit(0)"), "kept\n");
  EXPECT_EQ(output("import os; print('no line end', end=''); os._exit(0)"), "no line end");
  EXPECT_EQ(output("import atexit; atexit.register(print, 'bye'); print('hi')"), "hi\nbye\n");
  EXPECT_EQ(output("import os; os.write(1, b'raw\\n'); print('text'); os.system('echo child')"), "raw\ntext\nchild\n");
  EXPECT_EQ(output("import threading\nprint('main')\nthreading.Timer(0.05, print, ['thread']).start()"),
            "main\nthread\n");
}

TEST_F(CodeRunTest, AnyBytesBecomeReadableText) {
  const std::string broken = output("import sys; sys.stdout.buffer.write(b'a\\xff\\xfe\\xe4z\\n')");
  EXPECT_TRUE(is_utf8(broken));
  EXPECT_THAT(broken, AllOf(StartsWith("a"), EndsWith("z\n")));
  EXPECT_EQ(output("print('\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07plain')"), "red plain\n");
  const std::string surrogate = output("print('[\\ud800]')");
  EXPECT_TRUE(is_utf8(surrogate));
  EXPECT_THAT(surrogate, AllOf(StartsWith("["), EndsWith("]\n")));
  EXPECT_EQ(output("print('héllo ✓ 🙂')"), "héllo ✓ 🙂\n");
}

TEST_F(CodeRunTest, TakesAProgramOfFiveMegabytes) {
  const std::string data(5'000'000, 'a');
  EXPECT_EQ(output("print(len('" + data + "'))"), "5000000\n");
}

// --- how it ends ---

TEST_F(CodeRunTest, ShowsTheTracebackOfAnExceptionAfterTheOutput) {
  const JsonObject details = expect_failure("print('before')\ndef f():\n  raise ValueError('bad')\nf()", 1);
  EXPECT_EQ(text_or(details, "error"), "ValueError: bad");
  EXPECT_EQ(text_or(details, "output"),
            "before\n--- stderr ---\nTraceback (most recent call last):\n"
            "  File \"<execute_code>\", line 4, in <module>\n    f()\n"
            "  File \"<execute_code>\", line 3, in f\n    raise ValueError('bad')\nValueError: bad\n");
}

TEST_F(CodeRunTest, TellsTheExitCode) {
  EXPECT_THAT(text_or(expect_failure("print('out'); import sys; sys.exit(3)", 3), "output"),
              AllOf(StartsWith("out\n"), HasSubstr("code 3")));
  EXPECT_THAT(text_or(expect_failure("import sys; sys.exit('the reason')", 1), "output"),
              HasSubstr("--- stderr ---\nthe reason\n"));
  expect_failure("import os; os._exit(7)", 7);
  EXPECT_EQ(output("import sys; print('fine'); sys.exit(0)"), "fine\n");
  EXPECT_EQ(output("raise SystemExit"), "");
}

TEST_F(CodeRunTest, NamesTheSignalThatEndedIt) {
  const std::string by = "import os, signal; print('before'); os.kill(os.getpid(), signal.";
  EXPECT_THAT(text_or(expect_failure(by + "SIGSEGV)", -11), "output"),
              AllOf(StartsWith("before\n"), HasSubstr("SIGSEGV")));
  EXPECT_THAT(text_or(expect_failure(by + "SIGKILL)", -9), "output"),
              AllOf(StartsWith("before\n"), HasSubstr("SIGKILL")));
  expect_failure(by + "SIGABRT)", -6);
}

TEST_F(CodeRunTest, ReportsASyntaxErrorBeforeAnythingRuns) {
  const JsonObject details = expect_failure("open('ran', 'w')\nprint('ran')\nfor x in [1, 2:\n    pass\n", 1);
  EXPECT_THAT(text_or(details, "output"),
              AllOf(HasSubstr("line 3"), HasSubstr("for x in [1, 2:"), HasSubstr("^"), HasSubstr("SyntaxError")));
  EXPECT_THAT(text_or(details, "error"), AllOf(HasSubstr("SyntaxError"), HasSubstr("3")));
  EXPECT_EQ(integer_or(details, "stdout_bytes_total", -1), 0);
  EXPECT_FALSE(exists(house_.path("ran")));
  EXPECT_THAT(text_or(expect_failure("if True:\nprint(1)", 1), "output"), HasSubstr("IndentationError"));
  EXPECT_THAT(text_or(expect_failure(std::string("x = 1\0\n", 7), 1), "output"), HasSubstr("null byte"));
}

TEST_F(CodeRunTest, SaysWhatItWantsWhenItGetsSomethingElse) {
  const auto refusal = [this](JsonObject arguments) {
    const JsonObject result = house_.call("execute_code", std::move(arguments));
    EXPECT_TRUE(boolean_or(result, "isError"));
    EXPECT_EQ(status_of(result), "error");
    EXPECT_EQ(integer_or(details_of(result), "tool_calls_made", -1), 0);
    return text_or(details_of(result), "error");
  };
  EXPECT_THAT(refusal({{"code", ""}}), AllOf(HasSubstr("'code'"), HasSubstr("terminal(")));
  EXPECT_THAT(refusal({{"code", " \n\t "}}), HasSubstr("'code'"));
  EXPECT_THAT(refusal({}), HasSubstr("'code'"));
  EXPECT_THAT(refusal({{"command", "ls"}}), AllOf(HasSubstr("'command'"), HasSubstr("'code'"), HasSubstr("terminal(")));
  EXPECT_THAT(refusal({{"code", 5}}), AllOf(HasSubstr("number"), HasSubstr("string")));
  EXPECT_THAT(refusal({{"code", "pass"}, {"timeout", "soon"}}), HasSubstr("timeout"));
  EXPECT_THAT(refusal({{"code", "pass"}, {"mode", "loose"}}), AllOf(HasSubstr("mode"), HasSubstr("strict")));
  EXPECT_THAT(refusal({{"code", "pass"}, {"sesion", "a"}}), HasSubstr("sesion"));
  EXPECT_THAT(refusal({{"code", "pass"}, {"reset", true}}), HasSubstr("session"));
}

// --- what it leaves behind ---

TEST_F(CodeRunTest, ADaemonDoesNotOutliveIt) {
  const std::string daemon = R"py(
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open('/dev/null', os.O_RDWR)
        for fd in range(3): os.dup2(null, fd)
        os.write(w, b'x')
        while True: time.sleep(60)
    os._exit(0)
os.wait()
os.read(r, 1)
print('daemon runs')
)py";
  EXPECT_EQ(output(holding("daemon") + daemon), "daemon runs\n");
  house_.await_free("daemon");
}

TEST_F(CodeRunTest, AGrandchildOnItsOutputNeitherDelaysNorLosesTheResult) {
  // It would print on for as long as the test does not tell it to stop, which it never does.
  const std::string grandchild = R"py(
import subprocess
child = subprocess.Popen(['sh', '-c', 'echo from the child; while [ ! -e stop ]; do sleep 0.05; done'],
                         stdout=subprocess.PIPE, text=True, close_fds=False)
print(child.stdout.readline(), end='')
subprocess.Popen(['sh', '-c', 'while [ ! -e stop ]; do sleep 0.05; done'], close_fds=False)
sys.stdout.write('x' * 40000)
print('.the end')
)py";
  const std::string printed = output(holding("grandchild") + grandchild);
  EXPECT_EQ(printed, "from the child\n" + std::string(40'000, 'x') + ".the end\n");
  house_.await_free("grandchild");
}

TEST_F(CodeRunTest, AChildThatCallsToolsAfterItsEndIsStopped) {
  house_.put("a.txt", "content\n");
  const std::string orphan = R"py(
from hermes_tools import read_file
print(read_file('a.txt')['content'], end='')
if os.fork() == 0:
    os.setsid()
    while True: read_file('a.txt')
print('parent ends')
)py";
  EXPECT_EQ(output(holding("orphan") + orphan), "content\nparent ends\n");
  house_.await_free("orphan");
  EXPECT_EQ(output("print('next')"), "next\n");
}

TEST_F(CodeRunTest, OneThatClosesItsSocketsIsToldSoAndCanGoOn) {
  house_.put("a.txt", "content\n");
  const JsonObject details = house_.run_code(R"py(
import os
from hermes_tools import read_file
os.closerange(3, 5)
try:
    read_file('a.txt')
except Exception as error:
    print(type(error).__name__, error)
print('goes on')
)py");
  EXPECT_EQ(text_or(details, "status"), "success");
  EXPECT_THAT(text_or(details, "output"),
              AllOf(StartsWith("ConnectionError hermes_tools lost its connection: the script closed it"),
                    EndsWith("goes on\n")));
  EXPECT_EQ(integer_or(details, "tool_calls_made", -1), 0);
  EXPECT_EQ(output("import os\nfrom hermes_tools import read_file\nread_file('a.txt')\nos.closerange(3, 100)\n"
                   "print('ends')"),
            "ends\n");
}

TEST_F(CodeRunTest, TwoHundredMegabytesOfOutputAreCutAndCounted) {
  const JsonObject details = house_.run_code(
      "import sys\nprint('the beginning')\nfor i in range(200): sys.stdout.buffer.write(b'x' * 999_999 + b'\\n')\n"
      "print('the end')");
  EXPECT_EQ(text_or(details, "status"), "success");
  EXPECT_EQ(integer_or(details, "stdout_bytes_total"), 200'000'000 + 14 + 8);
  EXPECT_TRUE(boolean_or(details, "stdout_truncated"));
  EXPECT_THAT(text_or(details, "output"), AllOf(StartsWith("the beginning\n"), EndsWith("the end\n")));
  EXPECT_LT(text_or(details, "output").size(), 51'000U);
}

// --- strict ---

TEST_F(CodeRunTest, StrictRunsInADirectoryOfItsOwnThatIsGoneAfterwards) {
  house_.put("a.txt", "content\n");
  const JsonObject details = house_.run_code(R"py(
import os
from hermes_tools import read_file
print(os.getcwd(), os.listdir('.'))
open('scratch', 'w').write('x')
print(read_file('a.txt')['content'], end='')
try: open(')py" + house_.workspace() +
                                                 R"py(/b.txt', 'w')
except OSError as error: print(type(error).__name__)
)py",
                                             {{"mode", "strict"}});
  EXPECT_EQ(text_or(details, "status"), "success") << write_json(details);
  const std::string printed = text_or(details, "output");
  const std::string folder = printed.substr(0, printed.find(' '));
  EXPECT_THAT(folder, StartsWith("/tmp/"));
  EXPECT_THAT(printed, HasSubstr(" []\ncontent\n"));
  EXPECT_THAT(printed, AnyOf(EndsWith("PermissionError\n"), EndsWith("OSError\n")));
  EXPECT_EQ(
      text_or(house_.run_code("import os; print(os.path.exists('" + folder + "'))", {{"mode", "strict"}}), "output"),
      "False\n");
  EXPECT_THAT(*list_directory(house_.workspace()), ElementsAre("a.txt"));
}

}  // namespace
}  // namespace talaria
