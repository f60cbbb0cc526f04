// What execute_code once got wrong.
#include <gmock/gmock.h>

#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::Contains;
using testing::HasSubstr;

class CodeFixesTest : public testing::Test {
 protected:
  std::vector<std::string> notes_of(const JsonObject& details) {
    std::vector<std::string> notes;
    if (const Json* list = details.if_contains("notes")) {
      for (const Json& note : list->as_array()) notes.emplace_back(note.as_string());
    }
    return notes;
  }
  CodeHouse house_;
};

// A cancelled call that is answered lets the program go on, and act on the error.
TEST_F(CodeFixesTest, AProgramThatIsStoppedDoesNotGoOnAfterItsCall) {
  for (int i = 0; i < 5; ++i) {
    const JsonObject details = house_.run_code(
        "from hermes_tools import terminal\nr = terminal('sleep 300')\nopen('after', 'w').write(str(r))",
        {{"timeout", 0.4}});
    EXPECT_EQ(text_or(details, "status"), "timeout");
    EXPECT_FALSE(exists(house_.path("after")));
  }
}

TEST_F(CodeFixesTest, AProgramOfAPersonAndItsCommandsAreInOneDirectory) {
  ASSERT_TRUE(make_directories(house_.path("sub"), 0755));
  house_.run({"code", "-c", "from hermes_tools import terminal; terminal('cd sub')"});
  const Ran ran = house_.run({"code", "-c",
                              "from hermes_tools import *\n"
                              "open('a.txt', 'w').write('x')\n"
                              "print(read_file('a.txt')['content'], terminal('cat a.txt; cd sub')['output'])\n"
                              "print(terminal('pwd')['output'].strip().endswith('/sub'))"});
  EXPECT_EQ(ran.out, "x x\nTrue\n") << ran.err;
  // The session of the agent is where it was.
  EXPECT_EQ(text_or(details_of(house_.call("terminal", {{"command", "pwd"}})), "output"), house_.workspace() + "\n");
}

TEST_F(CodeFixesTest, CommandsOfAProgramHaveTheVariablesOfItsClient) {
  house_.configure("terminal.env_passthrough", "[MY_SETTING]");
  house_.environment()["MY_SETTING"] = "from the client";
  const Ran ran = house_.run({"code", "-c",
                              "import os\nfrom hermes_tools import terminal\n"
                              "print(os.environ['MY_SETTING'], '|', terminal('echo $MY_SETTING')['output'], end='')"});
  EXPECT_EQ(ran.out, "from the client | from the client\n") << ran.err;
}

TEST_F(CodeFixesTest, AnInterpreterThatIsGoneIsNotReplacedSilently) {
  house_.configure("code_execution.kernel_idle_timeout", "1");
  house_.run_code("x = 1", {{"session", "a"}});
  await("it to be ended", [&] {
    for (const JsonObject& job : house_.jobs()) {
      if (text_or(job, "status") == "running") return false;
    }
    return true;
  });
  EXPECT_THAT(notes_of(house_.run_code("print(1)", {{"session", "a"}})),
              Contains(HasSubstr("A new interpreter: the one kept as \"a\" is gone")));
  EXPECT_THAT(notes_of(house_.run_code("print(1)", {{"session", "a"}})), testing::Not(Contains(HasSubstr("gone"))));
}

TEST_F(CodeFixesTest, ARunThatIsHandedBackShowsWhatItPrinted) {
  const JsonObject result = house_.call_code(holding("lock") + "print('early')\ntime.sleep(300)", {{"yieldMs", 3000}});
  EXPECT_EQ(status_of(result), "running");
  EXPECT_EQ(text_or(details_of(result), "output"), "early\n");
  house_.process("kill", id_of(result));
}

TEST_F(CodeFixesTest, PacketsNobodyAskedForChangeNothing) {
  const JsonObject details = house_.run_code(
      "import socket, os\n"
      "lobby = socket.socket(fileno=os.dup(3))\n"
      "for _ in range(200): lobby.send(b'{\"hello\": 1}')\n"
      "lobby.send(b'{\"ended\": 1, \"how\": \"ok\", \"exit_code\": 0}')\n"
      "print('still here')",
      {{"session", "a"}, {"timeout", 20}});
  EXPECT_EQ(text_or(details, "status"), "success") << write_json(details);
  EXPECT_EQ(text_or(details, "output"), "still here\n");
}

TEST_F(CodeFixesTest, SecretsStayMaskedInAnInterpreterThatOutlivesTheGateway) {
  house_.configure("terminal.env_passthrough", "[MY_API_TOKEN]");
  ASSERT_TRUE(write_file_atomically(house_.root() + "/.env", "MY_API_TOKEN=a-long-secret-value\n", 0600));
  await("a warm start", [&] { return boolean_or(house_.run_code("pass"), "warm_start"); });
  const std::string print = "import os; print(os.environ['MY_API_TOKEN'])";
  EXPECT_EQ(text_or(house_.run_code(print, {{"session", "a"}}), "output"), "[masked MY_API_TOKEN]\n");
  house_.kill_gateway();
  EXPECT_EQ(text_or(house_.run_code(print, {{"session", "a"}}), "output"), "[masked MY_API_TOKEN]\n");
}

}  // namespace
}  // namespace talaria
