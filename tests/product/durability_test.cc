// What the product promises first: nothing is lost when the gateway or the keeper dies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"
#include "store/database.h"

namespace talaria {
namespace {

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + "\n";
  return text;
}

// The whole output of a job, page by page, as a reader that never polls before gets it.
std::string whole_output(House& house, const std::string& id) {
  std::string all;
  int64_t offset = 0;
  while (true) {
    const JsonObject result = house.process("poll", id, {{"offset", offset}});
    const int64_t next = integer_or(details_of(result), "nextOffset");
    if (next == offset) return all;
    all += text_or(details_of(result), "output");
    offset = next;
  }
}

void await_on_disk(House& house, const std::string& id) {
  await("the output to be on disk", [&] {
    const Result<std::string> output = read_file(house.home().job(id) + "/output");
    return output && output->find("before") != std::string::npos;
  });
}

TEST(DurabilityTest, TwoHundredJobsSurviveAGatewayThatIsKilledAgainAndAgain) {
  PlainHouse house;
  struct Started {
    std::string id;
    int64_t pid;
    int kind;
  };
  std::vector<Started> jobs;
  for (int i = 0; i < 200; ++i) {
    const int kind = i % 4;
    const char* commands[] = {
        "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $i; [ $((i % 60)) -ne 0 ] || sleep 0.05; done",  // a stream
        "read line; echo \"got $line\"; exit 5",                   // waits for stdin
        "stty -echo; read line; echo \"tty $line\"; tty; exit 6",  // in a terminal
        "sleep 0.7; echo done; exit 9",                            // ends meanwhile
    };
    const JsonObject result = house.exec(commands[kind], {{"background", true}, {"pty", kind == 2}});
    ASSERT_EQ(status_of(result), "running") << text_of(result);
    jobs.push_back({id_of(result), integer_or(details_of(result), "pid"), kind});
    if (i % 60 == 59) house.kill_gateway();
  }
  for (int round = 0; round < 2; ++round) house.kill_gateway();

  const JsonObject listed = house.process("list", "", {{"limit", 200}});
  std::map<std::string, int64_t> pids;
  for (const Json& row : details_of(listed).at("sessions").as_array()) {
    pids[text_or(row.as_object(), "sessionId")] = integer_or(row.as_object(), "pid");
  }
  for (const Started& job : jobs) EXPECT_EQ(pids[job.id], job.pid) << job.id;

  for (const Started& job : jobs) {
    if (job.kind == 1) house.process("write", job.id, {{"data", "hello\n"}});
    if (job.kind == 2) house.process("write", job.id, {{"data", "there\r"}});
  }
  house.kill_gateway();
  const std::string stream = numbers(1, 3000);
  for (const Started& job : jobs) {
    const JsonObject ended = house.process("wait", job.id, {{"timeout", 60000}});
    const std::string output = whole_output(house, job.id);
    const int64_t code = integer_or(details_of(ended), "exitCode", -1);
    const int expected_codes[] = {0, 5, 6, 9};
    const std::string expected_outputs[] = {stream, "got hello\n", "tty there\n/dev/pts/", "done\n"};
    EXPECT_EQ(code, expected_codes[job.kind]) << write_json(ended);
    if (job.kind == 2) {
      EXPECT_TRUE(output.starts_with(expected_outputs[2])) << output;
    } else {
      EXPECT_EQ(output, expected_outputs[job.kind]) << job.id;
    }
  }
}

// The keeper still has them for what they left running, and the database has them as ended.
TEST(DurabilityTest, JobsThatEndedBeforeTheGatewayWasKilledAreListedOnce) {
  PlainHouse house;
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    const JsonObject ended = house.exec("sleep 300 >/dev/null 2>&1 & echo started");
    ASSERT_EQ(status_of(ended), "completed") << text_of(ended);
    ids.push_back(id_of(ended));
  }
  await("their ends to be stored", [&] {
    Result<Database> database = Database::open(house.home().database());
    Result<Statement> statement =
        database ? database->prepare("SELECT count(*) FROM jobs WHERE state = 'ended'", "count") : database.error();
    int64_t ended = 0;
    if (statement && statement->step()) statement->read(ended);
    return ended == 3;
  });
  house.kill_gateway();
  const JsonObject listed = details_of(house.process("list", "", {{"limit", 3}}));
  std::vector<std::string> found;
  for (const Json& row : listed.at("sessions").as_array()) found.push_back(text_or(row.as_object(), "sessionId"));
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(ids));
  EXPECT_EQ(integer_or(listed, "finished"), 3);
}

TEST(DurabilityTest, AForegroundExecInAnotherShellReconnectsAndEndsProperly) {
  PlainHouse house;
  Running running = house.start({"exec", "--",
                                 "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo $i; "
                                 "[ $((i % 40)) -ne 0 ] || sleep 0.04; done; exit 4"});
  running.close_input();
  running.await_output("\n100\n");
  house.kill_gateway();
  running.await_output("\n900\n");
  house.kill_gateway();
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 4) << ran.err;
  EXPECT_EQ(ran.out, numbers(1, 2000));
}

TEST(DurabilityTest, StdinGoesOnWhenTheGatewayIsKilled) {
  PlainHouse house;
  Running running = house.start({"exec", "cat"});
  std::string sent;
  for (int i = 0; i < 3; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    ASSERT_TRUE(write_all(running.input(), line));
    sent += line;
    running.await_output(line);
    if (i < 2) house.kill_gateway();
  }
  running.close_input();
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, sent);
}

TEST(DurabilityTest, AKilledKeeperLeavesNoOrphanAndItsJobsAreLostWithTheirOutput) {
  PlainHouse house;
  std::vector<std::string> ids;
  std::vector<pid_t> tree;
  for (bool pty : {false, true}) {
    const JsonObject result =
        house.exec("setsid sleep 300 & disown; echo before; sleep 300", {{"background", true}, {"pty", pty}});
    ids.push_back(id_of(result));
    await_on_disk(house, ids.back());
    const pid_t supervisor = *parent_of(static_cast<pid_t>(integer_or(details_of(result), "pid")));
    tree.push_back(supervisor);
    for (pid_t pid : descendants_of(supervisor)) tree.push_back(pid);
  }
  ASSERT_GE(tree.size(), 6u);
  house.kill_keeper();
  await("every process of the jobs to end", [&] {
    for (pid_t pid : tree) {
      if (state_of(pid).value_or('Z') != 'Z') return false;
    }
    return true;
  });
  for (const std::string& id : ids) {
    const JsonObject polled = house.process("poll", id, {{"offset", 0}});
    EXPECT_EQ(status_of(polled), "lost") << write_json(polled);
    EXPECT_EQ(text_or(details_of(polled), "output"), "before\n");
  }
  EXPECT_EQ(text_of(house.exec("echo again")), "again\n");  // and the next command simply works
}

TEST(DurabilityTest, BothKilledAtOnceIsReportedTheSame) {
  PlainHouse house;
  const std::string id = id_of(house.exec("echo before; sleep 300", {{"background", true}}));
  await_on_disk(house, id);
  const pid_t keeper = house.keeper_pid();
  house.kill_gateway();
  ::kill(keeper, SIGKILL);
  await("the keeper to die", [&] { return state_of(keeper).value_or('Z') == 'Z'; });
  const JsonObject polled = house.process("poll", id, {{"offset", 0}});
  EXPECT_EQ(status_of(polled), "lost");
  EXPECT_EQ(text_or(details_of(polled), "output"), "before\n");
}

TEST(DurabilityTest, AJobThatEndsWhileNobodyListensKeepsItsExactExit) {
  PlainHouse house;
  const std::string id =
      id_of(house.exec("while [ ! -e go ]; do sleep 0.02; done; echo last words; exit 42", {{"background", true}}));
  house.kill_gateway();
  ASSERT_TRUE(write_file_atomically(house.workspace() + "/go", ""));
  await("the job to end", [&] { return exists(house.home().job(id) + "/meta.json"); });
  const JsonObject polled = house.process("poll", id, {{"offset", 0}});
  EXPECT_EQ(integer_or(details_of(polled), "exitCode", -1), 42);
  EXPECT_EQ(text_or(details_of(polled), "output"), "last words\n");
}

}  // namespace
}  // namespace talaria
