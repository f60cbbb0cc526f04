// The process tool as an agent calls it: every action, and that no reader misses or repeats a byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <set>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* echo_lines = "while read -r line; do echo \"got $line\"; done; exit 4";

class ProcessTest : public testing::Test {
 protected:
  std::string start(const std::string& command, JsonObject more = {}) {
    more["background"] = true;
    const JsonObject result = house_.exec(command, std::move(more));
    EXPECT_EQ(status_of(result), "running") << write_json(result);
    return id_of(result);
  }
  std::string start_to_end(const std::string& command) {
    const std::string id = start(command);
    house_.process("wait", id, {{"timeout", 30000}});
    return id;
  }
  void write(const std::string& id, const std::string& data) {
    const JsonObject result = house_.process("write", id, {{"data", data}});
    ASSERT_EQ(integer_or(details_of(result), "accepted"), static_cast<int64_t>(data.size())) << write_json(result);
  }
  // What is new, waiting for it.
  std::string poll(const std::string& id, JsonObject more = {}) {
    if (!more.contains("timeout")) more["timeout"] = 20000;
    return text_or(details_of(house_.process("poll", id, std::move(more))), "output");
  }
  void await_line(const std::string& id, const std::string& pattern) {
    const JsonObject seen = house_.process("wait", id, {{"until", pattern}, {"timeout", 20000}});
    ASSERT_TRUE(details_of(seen).contains("found")) << write_json(seen);
  }
  std::string refusal(const std::string& action, const std::string& id, JsonObject more = {}) {
    const JsonObject result = house_.process(action, id, std::move(more));
    EXPECT_TRUE(boolean_or(result, "isError")) << write_json(result);
    return text_of(result);
  }

  PlainHouse house_;
};

int64_t code_of(const JsonObject& result) { return integer_or(details_of(result), "exitCode", -1); }
bool lives(pid_t pid) { return state_of(pid).value_or('Z') != 'Z'; }

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + "\n";
  return text;
}

// --- poll ---

TEST_F(ProcessTest, PollGivesWhatIsNewExactlyOnceAlsoAfterTheGatewayWasKilled) {
  const std::string id = start(echo_lines);
  write(id, "a\n");
  EXPECT_EQ(poll(id), "got a\n");
  const JsonObject nothing = house_.process("poll", id);
  EXPECT_EQ(text_of(nothing), "(no new output)\n\nCommand still running.");
  EXPECT_EQ(text_or(details_of(nothing), "output", "?"), "");
  EXPECT_EQ(integer_or(details_of(nothing), "nextOffset"), 6);
  write(id, "b\n");
  EXPECT_EQ(poll(id), "got b\n");
  house_.kill_gateway();
  write(id, "c\n");
  EXPECT_EQ(poll(id), "got c\n");
  house_.process("write", id, {{"eof", true}});
  house_.process("wait", id);
  const JsonObject end = house_.process("poll", id);
  EXPECT_EQ(text_of(end), "(no new output)\n\nCommand exited with code 4.");
  EXPECT_EQ(status_of(end), "completed");
  EXPECT_EQ(code_of(end), 4);
  EXPECT_FALSE(details_of(end).contains("retryInMs"));
  house_.kill_gateway();
  EXPECT_EQ(poll(id), "");
  EXPECT_EQ(poll(id, {{"offset", 0}}), "got a\ngot b\ngot c\n");
  EXPECT_EQ(poll(id, {{"offset", 6}}), "got b\ngot c\n");
}

TEST_F(ProcessTest, EveryClientReadsForItself) {
  const std::string id = start(echo_lines);
  const JsonObject session{{"id", text_or(details_of(house_.exec("true")), "agentSession")}};
  const auto read_as = [&](RpcClient& connection, const char* client) {
    const Result<JsonObject> result = connection.call_object(
        "tools/call", {{"name", "process"},
                       {"arguments", JsonObject{{"action", "poll"}, {"sessionId", id}, {"timeout", 20000}}},
                       {"client", client},
                       {"session", session}});
    return result ? text_or(details_of(*result), "output") : result.error().message();
  };
  RpcClient one = house_.connect(), two = house_.connect();
  write(id, "x\n");
  EXPECT_EQ(read_as(one, "one"), "got x\n");
  EXPECT_EQ(read_as(two, "two"), "got x\n");
  write(id, "y\n");
  EXPECT_EQ(read_as(two, "one"), "got y\n");  // the client counts, not its connection
  EXPECT_EQ(read_as(one, "two"), "got y\n");
  EXPECT_EQ(poll(id), "got x\ngot y\n");
}

TEST_F(ProcessTest, PollIsWokenByOutputAndByTheEnd) {
  const std::string id = start("read -r line; echo \"$line\"; read -r line; exit 6");
  const JsonObject session{{"id", text_or(details_of(house_.exec("true")), "agentSession")}};
  const auto poll_while = [&](const std::string& data) {
    RpcClient waiting = house_.connect();
    EXPECT_TRUE(waiting.send("tools/call",
                             {{"name", "process"},
                              {"arguments", JsonObject{{"action", "poll"}, {"sessionId", id}, {"timeout", 120000}}},
                              {"client", "waiting"},
                              {"session", session}}));
    write(id, data);
    const Result<RpcMessage> answer = waiting.wait();
    const auto* response = answer ? std::get_if<RpcResponse>(&*answer) : nullptr;
    const Json* outcome = response ? std::get_if<Json>(&response->outcome) : nullptr;
    return outcome ? outcome->as_object() : JsonObject();
  };
  const auto begin = Clock::now();
  EXPECT_EQ(text_of(poll_while("hello\n")), "hello\n\nCommand still running.");
  EXPECT_EQ(text_of(poll_while("\n")), "(no new output)\n\nCommand exited with code 6.");
  EXPECT_LT(Clock::now() - begin, 20s);
}

TEST_F(ProcessTest, PollGathersWhatComesLineByLine) {
  const std::string id = start("read -r line; for i in $(seq 40); do echo $i; sleep 0.01; done; read -r line");
  write(id, "\n");
  std::string all;
  int polls = 0;
  while (all != numbers(1, 40) && ++polls < 40) all += poll(id);
  EXPECT_EQ(all, numbers(1, 40));
  EXPECT_LT(polls, 10);  // one, where the machine does not stop for a while
  write(id, "\n");
  const JsonObject over = house_.process("poll", id, {{"timeout", 20000}});
  EXPECT_EQ(text_of(over), "(no new output)\n\nCommand exited with code 0.");
}

TEST_F(ProcessTest, PollGathersNoLongerThanItsTimeOrItsRoom) {
  const std::string id = start("while :; do echo x; sleep 0.01; done");
  const JsonObject timed = house_.process("poll", id, {{"timeout", 700}});
  EXPECT_THAT(text_of(timed), AllOf(StartsWith("x\n"), EndsWith("Command still running.")));
  const std::string endless = start("yes");
  const JsonObject full = house_.process("poll", endless, {{"timeout", 120000}});
  EXPECT_THAT(text_of(full), AllOf(StartsWith("y\ny\n"), EndsWith("Command still running.")));
}

TEST_F(ProcessTest, EmptyPollsHintAtEverLongerPauses) {
  const std::string id = start(echo_lines);
  const auto hint = [&] { return integer_or(details_of(house_.process("poll", id)), "retryInMs"); };
  const int64_t first = hint(), second = hint(), third = hint();
  EXPECT_GT(first, 0);
  EXPECT_GT(second, first);
  EXPECT_GT(third, second);
  write(id, "x\n");
  poll(id);
  EXPECT_EQ(hint(), first);
}

TEST_F(ProcessTest, ALongBacklogComesInPagesThatLoseNothing) {
  ASSERT_EQ(house_.run({"config", "set", "exec.pending_max_output", "1000"}).code, 0);
  std::string expected = numbers(1, 1500);
  for (int i = 0; i < 500; ++i) expected += "äö€😀";
  const std::string id = start_to_end("seq 1 1500; for i in $(seq 500); do printf 'äö€😀'; done");
  std::string all;
  int pages = 0;
  while (pages < 100) {
    const JsonObject result = house_.process("poll", id);
    const std::string page = text_or(details_of(result), "output");
    if (page.empty()) break;
    ++pages;
    all += page;
    EXPECT_LE(std::count_if(page.begin(), page.end(), [](char c) { return (c & 0xC0) != 0x80; }), 1000);
    EXPECT_EQ(text_of(result).find("(More output follows: poll again.)") != std::string::npos, all != expected);
  }
  EXPECT_EQ(all, expected);
  EXPECT_GE(pages, 8);
}

// --- log ---

TEST_F(ProcessTest, LogShowsAnyPartOfTheWhole) {
  const std::string id = start_to_end("seq 1 500");
  const JsonObject last = house_.process("log", id);
  EXPECT_EQ(text_of(last), numbers(301, 500) + "\n[showing last 200 of 500 lines; pass offset/limit to page]");
  EXPECT_EQ(integer_or(details_of(last), "totalLines"), 500);
  EXPECT_EQ(integer_or(details_of(last), "totalBytes"), static_cast<int64_t>(numbers(1, 500).size()));
  EXPECT_THAT(text_of(house_.process("log", id, {{"limit", 2}})), StartsWith("499\n500\n"));
  EXPECT_EQ(text_of(house_.process("log", id, {{"offset", 0}, {"limit", 3}})),
            "1\n2\n3\n\n[showing lines 1 to 3 of 500 lines; pass offset/limit to page]");
  EXPECT_THAT(text_of(house_.process("log", id, {{"offset", 498}})), StartsWith("499\n500\n"));
  EXPECT_EQ(text_of(house_.process("log", id, {{"offset", 1000}})), "(no lines after the first 1,000: there are 500)");
  EXPECT_EQ(text_of(house_.process("log", id, {{"offset", 0}, {"limit", 500}})), numbers(1, 500));
}

TEST_F(ProcessTest, LogFindsLines) {
  const std::string id = start_to_end("seq 1 500; echo 'an ERROR here'");
  const JsonObject found = house_.process("log", id, {{"grep", "^4[0-9]7$|ERROR"}});
  EXPECT_EQ(
      text_of(found),
      "407:407\n417:417\n427:427\n437:437\n447:447\n457:457\n467:467\n477:477\n487:487\n497:497\n501:an ERROR here\n");
  EXPECT_EQ(integer_or(details_of(found), "totalLines"), 501);
  EXPECT_EQ(text_of(house_.process("log", id, {{"grep", "absent"}})), "(no line matches)");
  EXPECT_THAT(refusal("log", id, {{"grep", "("}}), HasSubstr("grep"));
  EXPECT_EQ(text_of(house_.process("log", start_to_end("true"))), "(no output recorded)");
}

TEST_F(ProcessTest, LogOfOneThatStillRunsShowsWhatThereIs) {
  const std::string id = start("printf 'half a line'; sleep 60");
  await_line(id, "half");
  EXPECT_EQ(text_of(house_.process("log", id)), "half a line\n");
  EXPECT_EQ(text_of(house_.process("log", start("sleep 60"))), "(no output yet)");
}

// --- write, submit, paste to a pipe ---

TEST_F(ProcessTest, WriteReachesAPipeJobUntilItsEnd) {
  const std::string id = start("cat; echo; echo over; exit 5");
  const JsonObject wrote = house_.process("write", id, {{"data", "some wörds"}});
  EXPECT_EQ(text_of(wrote), "Wrote 11 bytes to job " + id + ".");
  EXPECT_TRUE(boolean_or(details_of(wrote), "stdinOpen"));
  const JsonObject closed = house_.process("write", id, {{"data", "!"}, {"eof", true}});
  EXPECT_FALSE(boolean_or(details_of(closed), "stdinOpen", true));
  EXPECT_EQ(code_of(house_.process("wait", id)), 5);
  EXPECT_EQ(poll(id), "some wörds!\nover\n");
  EXPECT_THAT(refusal("write", id, {{"data", "more"}}), AllOf(HasSubstr(id), HasSubstr("not writable")));
}

TEST_F(ProcessTest, WriteTakesMoreThanAPipeHolds) {
  const std::string id = start("sleep 0.2; wc -c");
  house_.process("write", id, {{"data", std::string(3 << 20, 'x')}, {"eof", true}});
  house_.process("wait", id);
  EXPECT_EQ(poll(id), "3145728\n");
}

TEST_F(ProcessTest, SubmitEndsALineAndPasteIsLiteralOnAPipe) {
  const std::string id = start("read -r line; echo \"[$line]\"; read -r line; echo \"<$line>\"");
  house_.process("paste", id, {{"text", "one $HOME \\"}});
  EXPECT_EQ(text_of(house_.process("submit", id)), "Submitted to job " + id + " (sent a newline).");
  await_line(id, "^\\[");
  house_.process("paste", id, {{"text", "two\nthree"}});
  house_.process("wait", id);
  EXPECT_EQ(poll(id), "[one $HOME \\]\n<two>\n");
}

// --- wait ---

TEST_F(ProcessTest, WaitEndsWithTheJobOrWithAPatternOrWithTheTime) {
  const std::string id = start("read -r line; echo \"serving on port $line\"; read -r line; exit 9");
  const JsonObject not_yet = house_.process("wait", id, {{"timeout", 50}});
  EXPECT_EQ(text_of(not_yet), "(not yet)\n\nCommand still running.");
  EXPECT_TRUE(boolean_or(details_of(not_yet), "timedOut"));
  write(id, "80\n");
  const JsonObject seen = house_.process("wait", id, {{"until", "port (\\d+)"}, {"timeout", 20000}});
  EXPECT_EQ(text_or(details_of(seen), "found"), "serving on port 80");
  EXPECT_EQ(text_of(seen), "serving on port 80\n\nCommand still running.");
  EXPECT_FALSE(boolean_or(details_of(seen), "timedOut", true));
  write(id, "\n");
  const JsonObject absent = house_.process("wait", id, {{"until", "pattern:never"}, {"timeout", 20000}});
  EXPECT_EQ(text_of(absent), "serving on port 80\n\n(the output ended without it)\n\nCommand exited with code 9.");
  const JsonObject over = house_.process("wait", id, {{"until", "exit"}});
  EXPECT_EQ(text_of(over), "serving on port 80\n\nCommand exited with code 9.");
  EXPECT_EQ(code_of(over), 9);
  EXPECT_THAT(refusal("wait", id, {{"until", "("}}), HasSubstr("until"));
}

// --- kill, clear, remove ---

TEST_F(ProcessTest, WaitShowsTheOutputItWaitedFor) {
  const std::string id = start("echo one; read -r line; echo two; exit 3");
  const JsonObject seen = house_.process("wait", id, {{"until", "one"}, {"timeout", 20000}});
  EXPECT_EQ(text_of(seen), "one\n\nCommand still running.");
  EXPECT_EQ(text_or(details_of(seen), "output"), "one\n");
  const JsonObject not_yet = house_.process("wait", id, {{"timeout", 50}});
  EXPECT_EQ(text_of(not_yet), "one\n\n(not yet)\n\nCommand still running.");
  EXPECT_EQ(poll(id), "one\n");
  write(id, "\n");
  const JsonObject over = house_.process("wait", id, {{"timeout", 20000}});
  EXPECT_EQ(text_of(over), "two\n\nCommand exited with code 3.");
  EXPECT_EQ(text_of(house_.process("wait", id, {{"offset", 0}})), "one\ntwo\n\nCommand exited with code 3.");
  EXPECT_EQ(poll(id), "two\n");
  EXPECT_EQ(text_of(house_.process("wait", id)), "Command exited with code 3.");
}

TEST_F(ProcessTest, ALongOutputIsWaitedForInPart) {
  const JsonObject result = house_.process("wait", start("seq 100000"), {{"timeout", 20000}});
  EXPECT_THAT(text_of(result), AllOf(StartsWith("1\n2\n3\n"), HasSubstr(" bytes left out …]"), HasSubstr("\n100000\n"),
                                     HasSubstr("process log with sessionId " + id_of(result))));
  EXPECT_TRUE(boolean_or(details_of(result), "truncated"));
}

TEST_F(ProcessTest, ListSaysHowEachEnded) {
  const std::string fine = start_to_end("true"), bad = start_to_end("exit 3"), killed = start_to_end("kill -9 $$");
  const std::string list = text_of(house_.call("process", {{"action", "list"}}));
  const auto line_of = [&](const std::string& id) {
    const size_t at = list.find(id);
    return at == std::string::npos ? "" : list.substr(at, list.find('\n', at) - at);
  };
  EXPECT_THAT(line_of(fine), HasSubstr(", exit 0 :: "));
  EXPECT_THAT(line_of(bad), HasSubstr(", exit 3 :: "));
  EXPECT_THAT(line_of(killed), HasSubstr(", SIGKILL :: "));
}

TEST_F(ProcessTest, KillEndsItAndSaysHow) {
  const JsonObject started = house_.exec("sleep 300", {{"background", true}});
  const std::string id = id_of(started);
  const pid_t pid = static_cast<pid_t>(integer_or(details_of(started), "pid"));
  const JsonObject killed = house_.process("kill", id);
  EXPECT_EQ(text_of(killed), "Job " + id + " stopped. Command stopped by request (signal SIGTERM).");
  EXPECT_EQ(status_of(killed), "failed");
  EXPECT_EQ(text_or(details_of(killed), "exitSignal"), "SIGTERM");
  EXPECT_TRUE(boolean_or(details_of(killed), "stoppedByRequest"));
  EXPECT_FALSE(lives(pid));
  EXPECT_EQ(text_of(house_.process("kill", id)),
            "Job " + id + " is over already. Command stopped by request (signal SIGTERM).");
}

TEST_F(ProcessTest, KillWithASignalOnlySendsIt) {
  const std::string id =
      start("trap 'echo usr1' USR1; trap 'echo int; exit 7' INT; echo ready; while :; do sleep 0.02; done");
  await_line(id, "ready");
  EXPECT_EQ(text_of(house_.process("kill", id, {{"signal", "usr1"}})), "Sent SIGUSR1 to job " + id + ".");
  await_line(id, "usr1");
  house_.process("kill", id, {{"signal", 2}});
  EXPECT_EQ(code_of(house_.process("wait", id, {{"timeout", 20000}})), 7);
  EXPECT_THAT(refusal("kill", start("sleep 60"), {{"signal", "LOUD"}}), HasSubstr("LOUD"));
}

TEST_F(ProcessTest, ClearForgetsOnlyWhatIsOver) {
  const std::string running = start("sleep 300"), over = start_to_end("seq 1 100000");
  EXPECT_THAT(refusal("clear", running), AllOf(HasSubstr(running), HasSubstr("remove")));
  ASSERT_TRUE(exists(house_.home().job(over)));
  ASSERT_EQ(text_of(house_.process("clear", over)), "Cleared job " + over + ".");
  EXPECT_THAT(refusal("log", over), HasSubstr(over));
  await("its folder to go", [&] { return !exists(house_.home().job(over)); });
  EXPECT_EQ(details_of(house_.process("list", "")).at("sessions").as_array().size(), 1u);
}

TEST_F(ProcessTest, RemoveEndsAndForgets) {
  const JsonObject started = house_.exec("echo x; sleep 300", {{"background", true}});
  const std::string id = id_of(started);
  EXPECT_EQ(text_of(house_.process("remove", id)), "Removed job " + id + ".");
  EXPECT_FALSE(lives(static_cast<pid_t>(integer_or(details_of(started), "pid"))));
  EXPECT_THAT(refusal("poll", id), HasSubstr(id));
  EXPECT_EQ(text_of(house_.process("list", "")), "No running or recent jobs.");
  house_.kill_gateway();
  EXPECT_EQ(text_of(house_.process("list", "")), "No running or recent jobs.");
}

// --- list, ids ---

TEST_F(ProcessTest, ListShowsRunningAndFinishedNewestFirst) {
  const std::string first = start_to_end("sh -c 'exit 3'");
  const std::string second = start("sleep 300");
  const JsonObject listed = house_.process("list", "");
  const JsonArray& rows = details_of(listed).at("sessions").as_array();
  ASSERT_EQ(rows.size(), 2u);
  const JsonObject &newest = rows[0].as_object(), &oldest = rows[1].as_object();
  EXPECT_EQ(text_or(newest, "sessionId"), second);
  EXPECT_EQ(text_or(newest, "status"), "running");
  EXPECT_EQ(text_or(newest, "name"), "sleep 300");
  EXPECT_EQ(text_or(newest, "command"), "sleep 300");
  EXPECT_EQ(text_or(newest, "cwd"), house_.workspace());
  EXPECT_TRUE(lives(static_cast<pid_t>(integer_or(newest, "pid"))));
  EXPECT_GE(integer_or(newest, "runtimeMs", -1), 0);
  EXPECT_FALSE(newest.contains("exitCode"));
  EXPECT_EQ(text_or(oldest, "sessionId"), first);
  EXPECT_EQ(text_or(oldest, "status"), "completed");
  EXPECT_EQ(integer_or(oldest, "exitCode", -1), 3);
  EXPECT_THAT(text_of(listed), AllOf(StartsWith(second + " running"), HasSubstr("\n" + first + " completed")));
}

TEST_F(ProcessTest, AnIdMayBeShortened) {
  const std::string id = start_to_end("echo found");
  for (size_t length : {1, 4, 8}) {
    EXPECT_EQ(text_of(house_.process("log", id.substr(0, length))), "found\n") << length;
  }
}

}  // namespace
}  // namespace talaria
