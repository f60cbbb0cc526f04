// talaria code, as a person and a shell script use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include "base/text.h"
#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CodeCliTest : public testing::Test {
 protected:
  Ran code(std::vector<std::string> arguments, const std::string& input = {}) {
    arguments.insert(arguments.begin(), "code");
    return house_.run(std::move(arguments), input);
  }
  Running start(const std::string& source, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"code", "-c", source};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return house_.start(std::move(arguments));
  }
  void expect_usage_error(const std::vector<std::string>& arguments, const std::string& says) {
    const Ran ran = code(arguments);
    EXPECT_EQ(ran.code, 2) << join(arguments, " ");
    EXPECT_THAT(ran.err, HasSubstr(says));
    EXPECT_EQ(ran.out, "");
  }

  CodeHouse house_;
};

// --- which program ---

TEST_F(CodeCliTest, RunsAFileATextOrStdin) {
  house_.put("a.py", "print('from a file')\n");
  EXPECT_EQ(code({"a.py"}).out, "from a file\n");
  EXPECT_EQ(code({"-c", "print('from a text')"}).out, "from a text\n");
  const Ran piped = code({"-"}, "from hermes_tools import read_file\nprint(read_file('a.py')['content'])\n");
  EXPECT_EQ(piped.out, "print('from a file')\n\n");
  EXPECT_EQ(piped.code, 0);
  EXPECT_EQ(piped.err, "");
}

TEST_F(CodeCliTest, SaysWhatIsWrongWithItsArguments) {
  house_.put("a.py", "print(1)\n");
  expect_usage_error({}, "FILE");
  expect_usage_error({"a.py", "-c", "print(1)"}, "FILE");
  expect_usage_error({"-c", "print(1)", "--reset"}, "--session");
  expect_usage_error({"-c", "print(1)", "--timeout", "soon"}, "--timeout");
  expect_usage_error({"-c", "print(1)", "--max-tool-calls", "many"}, "--max-tool-calls");
  expect_usage_error({"-c", "print(1)", "--nonsense"}, "--nonsense");
  const Ran missing = code({"missing.py"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("missing.py"));
  EXPECT_EQ(missing.out, "");
  const Ran empty = code({"-c", " "});
  EXPECT_EQ(empty.code, 1);
  EXPECT_THAT(empty.err, HasSubstr("No code provided"));
  EXPECT_EQ(empty.out, "");
}

TEST_F(CodeCliTest, NamesTheOptionThatIsWrong) {
  const std::string session_rule =
      "--session must be a name of up to 64 letters, digits, dashes, underscores and dots\n";
  for (const auto& [option, value, says] : std::vector<std::array<std::string, 3>>{
           {"--mode", "loose", "--mode must be project or strict\n"},
           {"--timeout", "0", "--timeout must be a number of seconds, more than 0\n"},
           {"--timeout", "-1", "--timeout must be"},
           {"--timeout", "nan", "--timeout must be"},
           {"--max-tool-calls", "-1", "--max-tool-calls must be a whole number from 0 to 1,000,000\n"},
           {"--max-tool-calls", "1000001", "--max-tool-calls must be"},
           {"--session", "a/b", session_rule},
           {"--session", "", session_rule},
           {"--session", std::string(65, 'a'), session_rule},
           {"--toolsets", "file,files", "--toolsets: there is no toolset \"files\"; did you mean file? There are "},
           {"--trace", "missing/calls.txt", "--trace: open missing/calls.txt: No such file or directory\n"},
           {"--trace", ".", "--trace: open .: Is a directory\n"}}) {
    expect_usage_error({"-c", "open('ran', 'w')", option, value}, "talaria: code: " + says);
  }
  EXPECT_FALSE(exists(house_.path("ran")));
  EXPECT_EQ(house_.run({"serve", "--status"}).code, 1) << "a gateway was started for wrong usage";
  EXPECT_EQ(code({"-c", "pass", "--max-tool-calls", "0", "--timeout", "9.5", "--session", "a-b_c.D9"}).code, 0);
}

TEST_F(CodeCliTest, SaysSoWhenAProgramIsNotUtf8) {
  ASSERT_TRUE(write_file_atomically(house_.path("latin.py"), "print('\xe9')\n"));
  const Ran latin = code({"latin.py"});
  EXPECT_EQ(latin.code, 1);
  EXPECT_THAT(latin.err, AllOf(HasSubstr("latin.py"), HasSubstr("UTF-8")));
}

TEST_F(CodeCliTest, ExplainsItself) {
  const Ran help = code({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* option : {"FILE", "-c", "--session", "--reset", "--timeout", "--max-tool-calls", "--mode",
                             "--toolsets", "--trace", "--json"}) {
    EXPECT_THAT(help.out, HasSubstr(option));
  }
  EXPECT_THAT(house_.run({"--help"}).out, HasSubstr("code"));
}

TEST_F(CodeCliTest, IsTheSameUnderItsOtherName) {
  const std::string hermes = house_.workspace() + "/hermes";
  ASSERT_EQ(::symlink(program_path("talaria").c_str(), hermes.c_str()), 0);
  Running running = house_.start_program(hermes, {"code", "-c", "import sys; print('same'); sys.exit(3)"});
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "same\n");
}

// --- how it ends ---

TEST_F(CodeCliTest, EndsWithTheCodeOfTheProgram) {
  EXPECT_EQ(code({"-c", "pass"}).code, 0);
  const Ran three = code({"-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"});
  EXPECT_EQ(three.code, 3);
  EXPECT_EQ(three.out, "out\n");
  EXPECT_THAT(three.err, HasSubstr("err\n"));
  EXPECT_EQ(code({"-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"}).code, 128 + SIGKILL);
  EXPECT_EQ(code({"-c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"}).code, 128 + SIGSEGV);
  const Ran raised = code({"-c", "print('out')\nraise ValueError('bad')"});
  EXPECT_EQ(raised.code, 1);
  EXPECT_EQ(raised.out, "out\n");
  EXPECT_THAT(raised.err, AllOf(HasSubstr("Traceback"), HasSubstr("line 2"), HasSubstr("ValueError: bad")));
  EXPECT_EQ(raised.err.find("ValueError: bad"), raised.err.rfind("ValueError: bad")) << "said twice";
  const Ran syntax = code({"-c", "print('ran')\nfor x in"});
  EXPECT_EQ(syntax.code, 1);
  EXPECT_EQ(syntax.out, "");
  EXPECT_THAT(syntax.err, AllOf(HasSubstr("SyntaxError"), HasSubstr("line 2")));
}

TEST_F(CodeCliTest, ATimeoutIs124) {
  const Ran ran = code({"-c", "import time; print('partial', end=''); time.sleep(60)", "--timeout", "1"});
  EXPECT_EQ(ran.code, 124);
  EXPECT_EQ(ran.out, "partial");
  EXPECT_THAT(ran.err, HasSubstr("Script timed out after 1s and was killed."));
}

TEST_F(CodeCliTest, AnInterruptEndsTheProgramAndWhatItCalled) {
  Running running = start(holding("program") + "from hermes_tools import terminal\nprint('begun')\nterminal('" +
                          shell_holding("command") + "sleep 600 & touch begun; wait')");
  running.await_output("begun\n");
  await("the command to begin", [&] { return exists(house_.path("begun")); });
  house_.await_held("command");
  ::kill(running.pid(), SIGINT);
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.out, "begun\n");
  EXPECT_EQ(ran.err, "talaria: interrupted: the program and what it called were stopped\n");
  house_.await_free("program");
  house_.await_free("command");
  await("nothing to run any more", [&] { return house_.run({"ps", "--running", "-q"}).out.empty(); });
}

TEST_F(CodeCliTest, AnInterruptWithJsonStillPrintsTheResult) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Running running =
        start(holding("program") + "print('so far', flush=True)\nopen('up', 'w')\ntime.sleep(600)", {"--json"});
    await("the program to run", [&] { return exists(house_.path("up")); });
    ::kill(running.pid(), signal);
    const Ran ran = running.finish();
    EXPECT_EQ(ran.code, 130);
    EXPECT_EQ(ran.err, "");
    const Result<JsonObject> result = parse_json_object(ran.out);
    ASSERT_TRUE(result) << ran.out;
    EXPECT_EQ(text_or(*result, "status"), "interrupted");
    EXPECT_THAT(text_or(*result, "output"), StartsWith("so far\n"));
    house_.await_free("program");
    ASSERT_EQ(::unlink(house_.path("up").c_str()), 0);
  }
}

TEST_F(CodeCliTest, AnInterruptLeavesAKeptInterpreterItsVariables) {
  EXPECT_EQ(code({"--session", "data", "-c", "x = 42"}).code, 0);
  Running running = start("import time\nprint('begun')\ntime.sleep(600)", {"--session", "data"});
  running.await_output("begun\n");
  ::kill(running.pid(), SIGINT);
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 130);
  EXPECT_THAT(ran.err, HasSubstr("talaria: interrupted"));
  EXPECT_EQ(code({"--session", "data", "-c", "print(x)"}).out, "42\n");
}

TEST_F(CodeCliTest, ASecondInterruptDoesNotWaitForTheProgram) {
  Running running =
      start(holding("program") +
            "import signal\nfor n in (signal.SIGINT, signal.SIGTERM): signal.signal(n, lambda *_: open('told', 'w'))\n"
            "print('begun')\nwhile True: time.sleep(1)");
  running.await_output("begun\n");
  ::kill(running.pid(), SIGINT);
  await("the program to be told", [&] { return exists(house_.path("told")); });
  await_next_signal();
  ::kill(running.pid(), SIGINT);
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.err, "talaria: interrupted: the program and what it called are being stopped\n");
  house_.await_free("program");
}

TEST_F(CodeCliTest, AFullOutputDoesNotKeepItFromBeingInterrupted) {
  Running running = start("import time\nfor i in range(20000): print('x' * 100)\nopen('up', 'w')\ntime.sleep(600)");
  await("the program to have printed", [&] { return exists(house_.path("up")); });
  ::kill(running.pid(), SIGINT);
  await("the program to end", [&] { return house_.run({"ps", "--running", "-q"}).out.empty(); });
  EXPECT_EQ(running.finish().code, 130);
}

TEST_F(CodeCliTest, SaysSoWhenTheGatewayGoesAway) {
  Running running = start(holding("program") + "print('begun')\ntime.sleep(600)");
  running.await_output("begun\n");
  const std::string id = text_or(house_.jobs().at(0), "sessionId");
  house_.kill_gateway();
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("The program is ended when the gateway starts again; talaria poll " + id +
                                 " shows what became of it\n"));
  house_.run_code("pass");  // the next gateway ends what the last one ran
  house_.await_free("program");
  EXPECT_EQ(house_.run({"poll", id}).out, "begun\n");
}

TEST_F(CodeCliTest, EndsWhenNobodyTakesItsOutput) {
  const std::string talaria = shell_quote(program_path("talaria"));
  const std::string endless = holding("program") + "while True: print('y' * 100)";
  const auto shell = [&](const std::string& command) {
    return house_.start_program("/bin/bash", {"-c", command, "bash", endless}).finish();
  };
  const Ran gone = shell(talaria + " code -c \"$1\" | head -n 1 > first; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(gone.code, 128 + SIGPIPE);
  EXPECT_EQ(gone.err, "");
  EXPECT_EQ(house_.get("first"), std::string(100, 'y') + "\n");
  house_.await_free("program");
  const Ran full = shell(talaria + " code -c \"$1\" > /dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.err, "talaria: cannot write: No space left on device\n");
  house_.await_free("program");
  const Ran json = shell(talaria + " code --json -c 'print(1)' > /dev/full");
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(json.err, "talaria: cannot write: No space left on device\n");
  for (const char* command : {"yes", "echo hi"}) {
    const Ran exec = shell(talaria + " exec '" + std::string(command) + "' > /dev/full");
    EXPECT_EQ(exec.code, 125) << command;
    EXPECT_THAT(exec.err, HasSubstr("talaria: cannot write: No space left on device\n"));
  }
}

// --- what is shown ---

TEST_F(CodeCliTest, ShowsOutputAsItIsPrintedAndProgressBesideIt) {
  Running running = start(R"py(
import os, time
from hermes_tools import progress
print('early')
progress('half of it', 0.5)
while not os.path.exists('go'): time.sleep(0.02)
progress('nearly all')
print('late', end='')
)py");
  EXPECT_EQ(running.await_output("early\n"), "early\n");
  house_.put("go", "");
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "early\nlate");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("50 %"), HasSubstr("half of it\n"), HasSubstr("nearly all\n")));
}

TEST_F(CodeCliTest, ShowsAllOfALongOutput) {
  const Ran ran = code({"-c", "for i in range(200000): print(i)"});
  std::string all;
  for (int i = 0; i < 200'000; ++i) all += std::to_string(i) + "\n";
  EXPECT_EQ(ran.out.size(), all.size());
  EXPECT_TRUE(ran.out == all);
}

TEST_F(CodeCliTest, JsonIsTheResultAndNothingElse) {
  const Ran ran = code({"--json", "-c",
                        "from hermes_tools import *\nprogress('on the way')\nprint('hi')\n"
                        "print(terminal('echo x')['output'])\nimport sys; sys.exit(3)"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.err, "");
  const Result<JsonObject> result = parse_json_object(ran.out);
  ASSERT_TRUE(result) << ran.out;
  EXPECT_EQ(text_or(*result, "status"), "error");
  EXPECT_THAT(text_or(*result, "output"), StartsWith("hi\nx\n"));
  EXPECT_EQ(integer_or(*result, "tool_calls_made"), 1);
  EXPECT_EQ(integer_or(*result, "exit_code"), 3);
  const Ran timeout = code({"--json", "--timeout", "0.3", "-c", "import time; time.sleep(60)"});
  EXPECT_EQ(timeout.code, 124);
  EXPECT_EQ(text_or(*parse_json_object(timeout.out), "status"), "timeout");
}

TEST_F(CodeCliTest, WritesATimelineOfItsCalls) {
  house_.put("a.txt", "content\n");
  const std::string program =
      "from hermes_tools import *\nread_file('a.txt')\nterminal('echo hi')\nread_file('missing')\nprint('done')";
  const Ran ran = code({"-c", program, "--trace", "calls.txt"});
  EXPECT_EQ(ran.out, "done\n");
  EXPECT_EQ(ran.err, "");
  const std::string trace = house_.get("calls.txt");
  EXPECT_THAT(trace, AllOf(HasSubstr("read_file  path=a.txt"), HasSubstr("terminal  command=\"echo hi\""),
                           HasSubstr("FAILED\n"), HasSubstr("3 calls, 1 failed")));
  EXPECT_THAT(code({"-c", program, "--trace", "-"}).err, HasSubstr("3 calls, 1 failed"));
}

TEST_F(CodeCliTest, AnOldTimelineStaysUntilThereIsANewOne) {
  house_.put("calls.txt", std::string(1000, 'o'));
  EXPECT_EQ(code({"-c", " ", "--trace", "calls.txt"}).code, 1);
  EXPECT_EQ(house_.get("calls.txt"), std::string(1000, 'o'));
  EXPECT_EQ(code({"-c", "print(len(open('calls.txt').read()))", "--trace", "calls.txt"}).out, "1000\n");
  EXPECT_THAT(house_.get("calls.txt"), AllOf(HasSubstr("0 calls"), Not(HasSubstr("ooo"))));
  EXPECT_EQ(code({"-c", " ", "--trace", "new.txt"}).code, 1);
  EXPECT_FALSE(exists(house_.path("new.txt"))) << "nothing ran, so there is no timeline";
  // By a link: whoever renames a file over the name must not take the device from this machine.
  ASSERT_EQ(::symlink("/dev/full", house_.path("full").c_str()), 0);
  const Ran full = code({"-c", "print('done')", "--trace", "full"});
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.out, "done\n");
  EXPECT_EQ(full.err, "talaria: the trace: write full: No space left on device\n");
}

// --- options ---

TEST_F(CodeCliTest, LimitsTheCalls) {
  const std::string program =
      "from hermes_tools import *\nfor i in range(3): print(terminal('true').get('error', 'fine'))";
  EXPECT_EQ(code({"-c", program, "--max-tool-calls", "2"}).out,
            "fine\nfine\nTool call limit reached (2). No more tool calls allowed in this execution.\n");
  const Ran more = code({"-c", "pass", "--max-tool-calls", "1000"});
  EXPECT_EQ(more.code, 0);
  EXPECT_THAT(more.err, HasSubstr("code_execution.max_tool_calls"));
}

TEST_F(CodeCliTest, RunsInTheModeThatIsAskedFor) {
  EXPECT_EQ(code({"-c", "import os; print(os.getcwd())"}).out, house_.workspace() + "\n");
  EXPECT_EQ(code({"-c", "import os; print(os.getcwd())", "--mode", "project"}).out, house_.workspace() + "\n");
  EXPECT_THAT(code({"-c", "import os; print(os.getcwd())", "--mode", "strict"}).out, StartsWith("/tmp/"));
  house_.configure("code_execution.mode", "strict");
  EXPECT_THAT(code({"-c", "import os; print(os.getcwd())"}).out, StartsWith("/tmp/"));
}

TEST_F(CodeCliTest, KeepsAnInterpreterUnderAName) {
  EXPECT_EQ(code({"--session", "data", "-c", "x = 40"}).code, 0);
  EXPECT_EQ(code({"--session", "data", "-c", "print(x + 2)"}).out, "42\n");
  const Ran other = code({"--session", "other", "-c", "print(x)"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("NameError"));
  EXPECT_THAT(code({"--session", "data", "--reset", "-c", "print(x)"}).err, HasSubstr("NameError"));
}

TEST_F(CodeCliTest, GivesTheSessionTheToolsetsThatAreAskedFor) {
  const Ran ran = code({"--toolsets", "file,code", "-c", "from hermes_tools import *\nprint(terminal('true'))"});
  EXPECT_THAT(ran.out, HasSubstr("Tool 'terminal' is not available"));
  EXPECT_THAT(house_.run({"tools"}).out, AllOf(HasSubstr("execute_code\tcode"), Not(HasSubstr("terminal\tterminal"))));
}

TEST_F(CodeCliTest, TheProgramSeesTheVariablesOfWhoCallsIt) {
  house_.environment()["MY_SETTING"] = "of the gateway";
  house_.environment()["MY_TOKEN"] = "not-to-be-seen-by-programs";
  house_.configure("terminal.env_passthrough", "[MY_SETTING]");
  const std::string program =
      "import os; print(os.environ.get('MY_SETTING'), 'MY_TOKEN' in os.environ, os.environ['LANG'])";
  EXPECT_EQ(code({"-c", program}).out, "of the gateway False C.UTF-8\n");
  house_.environment()["MY_SETTING"] = "of the caller";
  EXPECT_EQ(code({"-c", program}).out, "of the caller False C.UTF-8\n");
}

TEST_F(CodeCliTest, TenAtOnceDoNotMix) {
  for (int i = 0; i < 10; ++i) house_.put("f" + std::to_string(i), "content of " + std::to_string(i) + "\n");
  std::vector<Running> all;
  for (int i = 0; i < 10; ++i) {
    const std::string file = "'f" + std::to_string(i) + "'";
    all.push_back(start("from hermes_tools import *\nfor i in range(10): print(read_file(" + file +
                        ")['content'], terminal('cat ' + " + file + ")['output'], end='')"));
  }
  for (int i = 0; i < 10; ++i) {
    const std::string line = "content of " + std::to_string(i) + "\n";
    std::string expected;
    for (int n = 0; n < 10; ++n) expected += line + " " + line;
    const Ran ran = all[static_cast<size_t>(i)].finish();
    EXPECT_EQ(ran.out, expected) << ran.err;
  }
}

}  // namespace
}  // namespace talaria
