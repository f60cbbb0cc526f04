// The command line as a person and a script use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "base/text.h"
#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

constexpr const char* id_line = "[2-9a-z][2-9a-z][2-9a-z][2-9a-z][2-9a-z][2-9a-z][2-9a-z][2-9a-z]\n";
class CliTest : public testing::Test {
 protected:
  // A job in the background; its id.
  std::string start(const std::string& command) {
    const Ran ran = house_.run({"exec", "-b", command});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, MatchesRegex(id_line));
    EXPECT_EQ(ran.err, "");
    return std::string(trim(ran.out));
  }
  std::string start_to_end(const std::string& command) {
    const std::string id = start(command);
    house_.run({"wait", id});
    return id;
  }
  int code(std::vector<std::string> arguments) { return house_.run(std::move(arguments)).code; }
  std::string out(std::vector<std::string> arguments) {
    const Ran ran = house_.run(std::move(arguments));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
  JsonObject json(std::vector<std::string> arguments) {
    const std::string text = house_.run(std::move(arguments)).out;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;  // one line in a pipe
    Result<JsonObject> object = parse_json_object(text);
    EXPECT_TRUE(object) << text;
    return object ? *std::move(object) : JsonObject();
  }

  PlainHouse house_;
};

// --- exec ---

TEST_F(CliTest, ExecExitsAsTheCommandDid) {
  EXPECT_EQ(code({"exec", "exit 7"}), 7);
  EXPECT_EQ(code({"exec", "true"}), 0);
  const Ran killed = house_.run({"exec", "kill -KILL $$"});
  EXPECT_EQ(killed.code, 137);
  EXPECT_THAT(killed.err, HasSubstr("SIGKILL"));
  const Ran late = house_.run({"exec", "--timeout", "0.5", "echo early; sleep 60"});
  EXPECT_EQ(late.code, 124);
  EXPECT_EQ(late.out, "early\n");
  EXPECT_EQ(late.err, "talaria: Command timed out after 0.5 seconds.\n");
  EXPECT_EQ(code({"exec", "no-such-program-anywhere"}), 127);
  const Ran nowhere = house_.run({"exec", "-w", "no/such", "true"});
  EXPECT_EQ(nowhere.code, 125);
  EXPECT_THAT(nowhere.err, AllOf(StartsWith("talaria: "), HasSubstr("no/such")));
  EXPECT_EQ(code({"exec"}), 125);
}

TEST_F(CliTest, ExecIsDeniedWith126) {
  ASSERT_EQ(code({"config", "set", "exec.security", "deny"}), 0);
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"exec"}, {"exec", "-b"}, {"exec", "--json"}, {"exec", "--security", "full"}}) {
    std::vector<std::string> words = how;
    words.push_back("touch ran");
    EXPECT_EQ(code(words), 126);
  }
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
}

TEST_F(CliTest, OneWordIsAShellCommandAndSeveralAreExactlyTheseArguments) {
  EXPECT_EQ(out({"exec", "echo $((1 + 1)) | tr 2 x"}), "x\n");
  EXPECT_EQ(out({"exec", "printf", "<%s>", "a b", "$HOME", "'", "", "-n"}), "<a b><$HOME><'><><-n>");
  EXPECT_EQ(out({"exec", "--", "echo", "--json"}), "--json\n");
  EXPECT_EQ(out({"exec", "-e", "A=1=2", "-e", "B=", "-w", "/", "echo $A,$B,$PWD"}), "1=2,,/\n");
}

TEST_F(CliTest, ExecPassesEveryByteOfItsInput) {
  EXPECT_EQ(house_.run({"exec", "cat"}, "x\n").out, "x\n");
  std::string binary(5 << 20, '\0');
  uint32_t state = 1;
  for (char& byte : binary) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  Running cat = house_.start({"exec", "cat"});
  std::thread writer([&] {
    EXPECT_TRUE(write_all(cat.input(), binary));
    cat.close_input();
  });
  const Ran ran = cat.finish();
  writer.join();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out == binary) << ran.out.size();
  ::signal(SIGPIPE, SIG_IGN);  // these do not read all we write
  EXPECT_EQ(house_.run({"exec", "--no-stdin", "cat"}, "unread").out, "");
  EXPECT_EQ(house_.run({"exec", "head -c 3"}, std::string(1 << 20, 'y')).out, "yyy");
  ::signal(SIGPIPE, SIG_DFL);
}

TEST_F(CliTest, ExecStreamsLive) {
  Running running = house_.start({"exec", "echo first; read -r line; echo \"second $line\""});
  running.await_output("first\n");
  ASSERT_TRUE(write_all(running.input(), "go\n"));
  running.await_output("second go\n");
  EXPECT_EQ(running.finish().code, 0);
}

TEST_F(CliTest, ExecAsJsonIsWhatTheToolAnswers) {
  const Ran ran = house_.run({"exec", "--json", "echo hi; exit 3"});
  EXPECT_EQ(ran.code, 3);
  const JsonObject result = *parse_json_object(ran.out);
  EXPECT_EQ(text_of(result), "hi\n\n(Command exited with code 3)");
  EXPECT_EQ(status_of(result), "completed");
  const JsonObject running = json({"exec", "--json", "--yield", "50", "sleep 60"});
  EXPECT_EQ(status_of(running), "running");
}

TEST_F(CliTest, ExecCanStopWaiting) {
  EXPECT_EQ(code({"exec", "true"}), 0);  // what takes long comes before: the gateway, the login shell
  const Ran ran = house_.run({"exec", "--yield", "2000", "echo begun; sleep 60"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "begun\n");
  const std::string id = std::string(trim(out({"ps", "-rq"})));
  EXPECT_THAT(ran.err, HasSubstr("still running as " + id));
}

TEST_F(CliTest, ControlCInterruptsAndASecondOneKills) {
  Running once = house_.start({"exec", "trap 'echo int; exit 9' INT; echo ready; while :; do sleep 0.02; done"});
  once.await_output("ready\n");
  ::kill(once.pid(), SIGINT);
  EXPECT_EQ(once.finish().code, 9);
  Running twice = house_.start({"exec", "trap 'echo int' INT; echo ready; while :; do sleep 0.02; done"});
  twice.await_output("ready\n");
  ::kill(twice.pid(), SIGINT);
  twice.await_output("int\n");
  await_next_signal();
  ::kill(twice.pid(), SIGINT);
  EXPECT_EQ(twice.finish().code, 128 + SIGTERM);
  Running ended = house_.start({"exec", "trap 'echo term; exit 4' TERM; echo ready; while :; do sleep 0.02; done"});
  ended.await_output("ready\n");
  ::kill(ended.pid(), SIGTERM);
  EXPECT_EQ(ended.finish().code, 4);
}

TEST_F(CliTest, AReaderThatGoesAwayEndsTheJob) {
  const std::string pipeline = program_path("talaria") + " exec yes | head -n 1; echo ${PIPESTATUS[0]}";
  Running shell = house_.start_program("/bin/bash", {"-c", pipeline});
  shell.close_input();
  EXPECT_EQ(shell.finish().out, "y\n141\n");
  EXPECT_EQ(out({"ps", "--running"}), "");
}

// --- looking after jobs ---

TEST_F(CliTest, PsListsTheJobsOfAllSessions) {
  EXPECT_EQ(out({"ps"}), "");
  const std::string first = start_to_end("exit 3");
  const Ran second_run = house_.run({"exec", "-b", "--session", "other", "-l", "my server", "sleep 60"});
  const std::string second(trim(second_run.out));
  const std::vector<std::string> rows = split(std::string(trim(out({"ps"}))), '\n');
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(rows[0], StartsWith(second + "\trunning\t"));
  EXPECT_THAT(rows[1], AllOf(StartsWith(first + "\tcompleted\t"), EndsWith("\t3\texit 3\texit 3")));
  EXPECT_EQ(out({"ps", "-q"}), second + "\n" + first + "\n");
  EXPECT_EQ(out({"ps", "-rq"}), second + "\n");
  const JsonObject listed = json({"ps", "--json"});
  const JsonArray& sessions = listed.at("sessions").as_array();
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(text_or(sessions[0].as_object(), "label"), "my server");
}

TEST_F(CliTest, LogShowsLinesBytesAndWhatComes) {
  const std::string id = start_to_end("printf '\\033[1mbold\\033[0m\\n'; seq 1 300");
  const Ran last = house_.run({"log", id});
  EXPECT_THAT(last.out, AllOf(StartsWith("101\n"), EndsWith("\n299\n300\n")));
  EXPECT_THAT(last.err, StartsWith("[showing last 200 of 301 lines"));
  EXPECT_EQ(house_.run({"log", id, "--offset", "0", "--limit", "2"}).out, "bold\n1\n");
  EXPECT_EQ(out({"log", id, "--grep", "^29.$", "--limit", "500"}),
            "291:290\n292:291\n293:292\n294:293\n295:294\n296:295\n297:296\n298:297\n299:298\n300:299\n");
  EXPECT_THAT(out({"log", "--raw", id}), AllOf(StartsWith("\033[1mbold\033[0m\n1\n2\n"), EndsWith("\n299\n300\n")));
  EXPECT_EQ(integer_or(details_of(json({"log", id, "--json"})), "totalLines"), 301);
  EXPECT_EQ(code({"log", "zzzzzzzz"}), 1);
  const std::string live = start("echo one; read -r line; echo \"two $line\"");
  Running follow = house_.start({"log", "-f", live});
  follow.await_output("one\n");
  EXPECT_EQ(out({"write", live, "more"}), "");
  EXPECT_EQ(follow.finish().out, "one\ntwo more\n");
}

TEST_F(CliTest, PollWriteAndWait) {
  const std::string id = start("while read -r line; do echo \"got $line\"; done; exit 6");
  EXPECT_EQ(out({"write", id, "a b"}), "");
  // Output goes to stdout, as a pipe wants it; what is said about it, to stderr.
  const Ran fresh = house_.run({"poll", id, "--timeout", "20"}), stale = house_.run({"poll", id});
  EXPECT_EQ(fresh.out, "got a b\n");
  EXPECT_EQ(fresh.err, "Command still running.\n");
  EXPECT_EQ(stale.out, "");
  EXPECT_EQ(stale.err, "(no new output)\nCommand still running.\n");
  EXPECT_EQ(text_or(details_of(json({"poll", id, "--offset", "4", "--json"})), "output"), "a b\n");
  EXPECT_EQ(code({"wait", id, "--timeout", "0.05"}), 124);
  EXPECT_EQ(house_.run({"write", id, "-"}, "c\nd\n").code, 0);
  const Ran seen = house_.run({"wait", id, "--until", "got d", "--timeout", "20"});
  EXPECT_EQ(seen.code, 0);
  EXPECT_THAT(seen.out, StartsWith("got d\n"));
  EXPECT_EQ(integer_or(json({"write", id, "--no-newline", "e", "--eof", "--json"}), "accepted"), 1);
  EXPECT_EQ(code({"wait", id}), 6);
  EXPECT_EQ(code({"wait", id, "--until", "never"}), 6);
  EXPECT_EQ(code({"write", id, "late"}), 1);
  EXPECT_EQ(code({"wait", "zzzzzzzz"}), 125);
  EXPECT_EQ(code({"write", id}), 2);
}

TEST_F(CliTest, WaitGoesOnWhenTheGatewayIsKilled) {
  const std::string id = start("echo up; while [ ! -e go ]; do sleep 0.02; done; exit 11");
  Running waiting = house_.start({"wait", id});
  house_.kill_gateway();
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/go", ""));
  EXPECT_EQ(waiting.finish().code, 11);
}

TEST_F(CliTest, KeysPasteAndSubmitReachATerminal) {
  const Ran started =
      house_.run({"exec", "-b", "--pty", "stty -echo; echo ready; read -r a; read -r b; echo \"<$a><$b>\""});
  const std::string id(trim(started.out));
  ASSERT_EQ(code({"wait", id, "--until", "ready", "--timeout", "20"}), 0);
  EXPECT_EQ(code({"keys", id, "--literal", "typed", "Space", "x", "Enter"}), 0);
  EXPECT_EQ(house_.run({"paste", id, "-"}, "pasted").code, 0);
  EXPECT_EQ(out({"submit", id}), "Submitted to job " + id + " (sent CR).\n");
  EXPECT_EQ(code({"wait", id, "--timeout", "20"}), 0);
  EXPECT_EQ(out({"log", id}), "ready\n<typed x><pasted>\n");
  EXPECT_EQ(code({"keys", id}), 2);
  EXPECT_EQ(code({"keys", start("sleep 60"), "Entr"}), 1);
}

TEST_F(CliTest, KillRmAndClearTakeSeveral) {
  const std::string one = start("sleep 300"), two = start("sleep 300"), three = start("sleep 300");
  const Ran killed = house_.run({"kill", one, two});
  EXPECT_EQ(killed.code, 0);
  EXPECT_THAT(killed.out, AllOf(HasSubstr("Job " + one + " stopped."), HasSubstr("Job " + two + " stopped.")));
  EXPECT_EQ(out({"ps", "-rq"}), three + "\n");
  EXPECT_EQ(code({"clear", three}), 1);
  EXPECT_EQ(out({"clear", one}), "Cleared job " + one + ".\n");
  EXPECT_EQ(code({"rm", "zzzzzzzz", two, three}), 1);  // the unknown one does not save the others
  EXPECT_EQ(out({"ps", "-q"}), "");
  const std::string four = start("trap 'exit 5' HUP; echo ready; while :; do sleep 0.02; done");
  ASSERT_EQ(code({"wait", four, "--until", "ready", "--timeout", "20"}), 0);
  EXPECT_EQ(out({"kill", "-s", "HUP", four}), "Sent SIGHUP to job " + four + ". Command exited with code 5.\n");
  EXPECT_EQ(code({"wait", four}), 5);
  EXPECT_EQ(status_of(json({"kill", "--json", start("sleep 60")})), "failed");
}

// --- for programs ---

TEST_F(CliTest, ToolCallsAsAnAgentDoes) {
  EXPECT_EQ(text_of(json({"tool", "exec", R"({"command": "echo hi"})"})), "hi\n");
  EXPECT_EQ(text_of(*parse_json_object(house_.run({"tool", "exec", "-"}, R"({"command": "echo in"})").out)), "in\n");
  EXPECT_EQ(code({"tool", "exec", R"({"command": ""})"}), 1);
  EXPECT_EQ(code({"tool", "exec", "not json"}), 2);
  EXPECT_EQ(code({"tool"}), 2);
  const Ran unknown = house_.run({"tool", "teleport", "{}"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("teleport"));
  const JsonObject tools = json({"tool", "--list"});
  std::vector<std::string> names;
  for (const Json& tool : tools.at("tools").as_array()) {
    names.push_back(text_or(tool.as_object(), "name"));
    EXPECT_FALSE(text_or(tool.as_object(), "description").empty());
    EXPECT_TRUE(object_or_null(tool.as_object(), "inputSchema"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"exec", "process", "terminal", "execute_code", "read_file", "write_file",
                                             "search_files", "patch", "web_extract", "skills_list", "skill_view",
                                             "skill_manage"}));
}

TEST_F(CliTest, ABatchIsAnsweredLineByLineAsThingsEnd) {
  std::string calls =
      R"({"id": "slow", "name": "exec", "arguments": {"command": "while [ ! -e go ]; do sleep 0.02; done; echo slow"}})"
      "\n";
  for (int i = 0; i < 100; ++i) {
    calls += R"({"id": )" + std::to_string(i) + R"(, "name": "exec", "arguments": {"command": "echo )" +
             std::to_string(i) + "\"}}\n";
  }
  calls += "broken\n";
  calls += R"({"id": "last", "name": "exec", "arguments": {"command": "touch go; exit 1"}})";  // and no newline
  const Ran ran = house_.run({"tool", "--batch"}, calls);
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::map<std::string, JsonObject> answers;
  for (const std::string& line : split(std::string(trim(ran.out)), '\n')) {
    const JsonObject answer = *parse_json_object(line);
    answers[write_json(answer.at("id"))] = answer;
  }
  EXPECT_EQ(answers.size(), 103u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(text_of(*object_or_null(answers[std::to_string(i)], "result")), std::to_string(i) + "\n");
  }
  EXPECT_EQ(text_of(*object_or_null(answers["\"slow\""], "result")), "slow\n");
  EXPECT_EQ(text_or(*object_or_null(answers["null"], "error"), "code"), "invalid_argument");
}

}  // namespace
}  // namespace talaria
