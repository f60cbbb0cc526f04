// Sandboxes come and go by the hundred, their keepers die at any moment: nothing stays, and nothing is told wrongly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

bool lives(pid_t pid) { return state_of(pid).value_or('Z') != 'Z'; }

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  const Result<std::vector<std::string>> entries = list_directory("/proc");
  for (const std::string& entry : *entries) {
    if (entry.find_first_not_of("0123456789") == std::string::npos) pids.push_back(std::stoi(entry));
  }
  return pids;
}

class SandboxLifeTest : public testing::Test {
 protected:
  const std::string& home() { return house_.environment()["HOME"]; }

  // A number no other test's sleep has, so that what is left of ours is found by its command line.
  std::string forever() { return "sleep " + marker_; }
  std::vector<pid_t> marked() {
    std::vector<pid_t> found;
    for (const pid_t pid : all_processes()) {
      const Result<std::string> line = read_file("/proc/" + std::to_string(pid) + "/cmdline", 4096);
      if (line && line->find(marker_) != std::string::npos && lives(pid)) found.push_back(pid);
    }
    return found;
  }
  void await_none_marked() {
    await("every process of the test to end", [&] { return marked().empty(); });
  }
  // Only root may count those of our programs; others see how large the table has grown.
  size_t fds_of(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    if (const Result<std::vector<std::string>> entries = list_directory(folder + "/fd")) return entries->size();
    const std::string status = *read_file(folder + "/status");
    return std::stoul(status.substr(status.find("FDSize:") + 7));
  }
  // First processes of sandboxes below our keeper.
  std::vector<pid_t> holders() {
    std::vector<pid_t> found;
    for (const pid_t pid : descendants_of(house_.keeper_pid())) {
      const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
      if (name && *name == "talaria-sandbox\n") found.push_back(pid);
    }
    return found;
  }

  static JsonObject call_of(const std::string& cwd, const std::string& name, JsonObject arguments,
                            const std::string& tool = "exec") {
    JsonObject session{{"cwd", cwd}};
    if (!name.empty()) session["name"] = name;
    return {{"name", tool}, {"arguments", std::move(arguments)}, {"client", "cli"}, {"session", std::move(session)}};
  }
  JsonObject run_in(const std::string& cwd, const std::string& command, const std::string& name = "") {
    const Result<JsonObject> result =
        house_.connect().call_object("tools/call", call_of(cwd, name, {{"command", command}}));
    return result ? *result : JsonObject{{"refused", result.error().message()}};
  }
  void stop() { EXPECT_EQ(house_.run({"serve", "--stop", "--end-jobs"}).code, 0); }
  std::vector<JsonObject> all_jobs() {
    std::vector<JsonObject> jobs;
    const JsonObject listed = house_.process("list", "");
    for (const Json& row : details_of(listed).at("sessions").as_array()) jobs.push_back(row.as_object());
    return jobs;
  }

  std::mt19937 dice_{std::random_device{}()};
  void wait_a_while(int most_ms) { ::poll(nullptr, 0, static_cast<int>(dice_() % static_cast<unsigned>(most_ms))); }

  House house_;
  const std::string marker_ = "9" + std::to_string(::getpid()) + std::to_string(std::random_device{}() % 900 + 100);
};

// --- many ---

TEST_F(SandboxLifeTest, TwoHundredInARowLeaveNothing) {
  house_.exec("true");
  const std::string mounts = *read_file("/proc/self/mountinfo");
  const pid_t gateway = house_.gateway_pid(), keeper = house_.keeper_pid();
  const size_t gateway_fds = fds_of(gateway), keeper_fds = fds_of(keeper);
  RpcClient client = house_.connect();
  for (int i = 0; i < 200; ++i) {
    const std::string command = "setsid " + forever() + " & echo " + std::to_string(i) + " > /tmp/x; cat /tmp/x";
    const Result<JsonObject> result =
        client.call_object("tools/call", call_of(house_.workspace(), "s" + std::to_string(i), {{"command", command}}));
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_THAT(text_of(*result), testing::StartsWith(std::to_string(i) + "\n\n(1 process ")) << write_json(*result);
  }
  EXPECT_EQ(holders().size(), 201u);
  await("every sleep to be seen", [&] { return marked().size() == 200; });  // one has no name while it is executed
  EXPECT_EQ(*read_file("/proc/self/mountinfo"), mounts);                    // all of it is in namespaces of their own
  EXPECT_LE(fds_of(gateway), gateway_fds + 10);
  EXPECT_LE(
      fds_of(keeper),
      std::bit_ceil(keeper_fds +
                    200 * 12));  // each: the sandbox, its memory, its network, its guard, the job and its leftover
  const std::vector<pid_t> tree = descendants_of(keeper);
  stop();
  EXPECT_THAT(marked(), IsEmpty());
  await("the keeper and all below it to end", [&] { return !lives(keeper) && std::ranges::none_of(tree, lives); });
  EXPECT_EQ(*read_file("/proc/self/mountinfo"), mounts);
  EXPECT_THAT(*list_directory(house_.workspace()), IsEmpty());
  EXPECT_THAT(*list_directory(home()), testing::UnorderedElementsAre("h", "w"));
}

TEST_F(SandboxLifeTest, AThousandCommandsInOneLeaveNothing) {
  house_.exec("true");
  const pid_t gateway = house_.gateway_pid(), keeper = house_.keeper_pid();
  const size_t gateway_fds = fds_of(gateway), keeper_fds = fds_of(keeper), below = descendants_of(keeper).size();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(text_of(house_.exec("echo " + std::to_string(i), {{"pty", i % 10 == 0}})), std::to_string(i) + "\n");
  }
  await("the last command to be gone", [&] { return descendants_of(keeper).size() <= below; });
  EXPECT_LE(fds_of(gateway), gateway_fds + 2);
  EXPECT_LE(fds_of(keeper), keeper_fds + 2);
}

TEST_F(SandboxLifeTest, FiftyAtOnceAllStandAndAllGo) {
  std::vector<RpcClient> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(house_.connect());
  for (int i = 0; i < 50; ++i) {
    const std::string name = "s" + std::to_string(i);
    const JsonObject call =
        call_of(house_.workspace(), name, {{"command", "echo $TALARIA_JOB; " + forever()}, {"background", true}});
    ASSERT_TRUE(clients[i].send("tools/call", call));
  }
  await("fifty commands to run", [&] {
    const Ran listed = house_.run({"ps"});
    return std::ranges::count(listed.out, '\n') >= 50;
  });
  await("all their sleeps", [&] { return marked().size() >= 50u; });
  EXPECT_EQ(holders().size(), 50u);
  stop();
  EXPECT_THAT(marked(), IsEmpty());
}

// --- the gateway and the keeper die ---

TEST_F(SandboxLifeTest, AGatewayKilledAtRandomMomentsLosesNoJob) {
  const std::string commands[] = {"while read line; do echo \"got $line\"; done; : " + marker_,
                                  "stty -echo; read line; echo \"tty $line\"; " + forever(),
                                  "sleep 0.0" + std::to_string(dice_() % 90 + 10) + "; exit 3"};
  std::map<std::string, int64_t> pids;
  for (int round = 0; round < 15 || (pids.size() < 15 && round < 60); ++round) {
    RpcClient client = house_.connect();
    for (int i = 0; i < 3; ++i) {
      const JsonObject call =
          call_of(house_.workspace(), "", {{"command", commands[i]}, {"background", true}, {"pty", i == 1}});
      ASSERT_TRUE(client.send("tools/call", call));
    }
    const pid_t gateway = house_.gateway_pid();
    wait_a_while(30);
    ::kill(gateway, SIGKILL);
    await("the gateway to die", [&] { return !lives(gateway); });
    for (const JsonObject& job : all_jobs()) {
      const std::string status = text_or(job, "status"), id = text_or(job, "sessionId");
      EXPECT_TRUE(status == "running" || text_or(job, "command") == commands[2]) << write_json(job);
      if (status != "running") continue;
      const auto [known, first] = pids.emplace(id, integer_or(job, "pid"));
      EXPECT_EQ(known->second, integer_or(job, "pid")) << id;
    }
  }
  ASSERT_GE(pids.size(), 15u);
  for (const JsonObject& job : all_jobs()) {
    const std::string id = text_or(job, "sessionId");
    if (text_or(job, "status") != "running" || text_or(job, "command") == commands[2]) continue;
    // One that was on its way when the last gateway died is seen here for the first time.
    EXPECT_TRUE(lives(static_cast<pid_t>(pids.emplace(id, integer_or(job, "pid")).first->second)));
    const bool terminal = text_or(job, "command") == commands[1];
    house_.process("write", id, {{"data", terminal ? "hello\r" : "hello\n"}});
    const JsonObject seen = house_.process(
        "wait", id, {{"until", terminal ? "tty hello" : "got hello"}, {"timeout", 20000}, {"offset", 0}});
    EXPECT_TRUE(details_of(seen).contains("found")) << write_json(seen);
  }
  EXPECT_EQ(holders().size(), 1u);
  stop();
  EXPECT_THAT(marked(), IsEmpty());
}

TEST_F(SandboxLifeTest, AKeeperKilledAtRandomMomentsLeavesNothingAndSaysLost) {
  for (int round = 0; round < 12; ++round) {
    const std::string id = id_of(house_.exec("echo before; setsid " + forever() + " & " + forever(),
                                             {{"background", true}, {"pty", round % 2 == 0}}));
    RpcClient client = house_.connect();
    for (int i = 0; i < 4; ++i) {
      const JsonObject call = call_of(house_.workspace(), "s" + std::to_string(i),
                                      {{"command", "setsid " + forever() + " & " + forever()}, {"background", true}});
      ASSERT_TRUE(client.send("tools/call", call));
    }
    const pid_t keeper = house_.keeper_pid();
    wait_a_while(40);
    const std::vector<pid_t> tree = descendants_of(keeper);
    ::kill(keeper, SIGKILL);
    await("all that was below the keeper to end", [&] { return std::ranges::none_of(tree, lives); });
    await_none_marked();
    EXPECT_EQ(status_of(house_.process("poll", id)), "lost");
    EXPECT_EQ(text_of(house_.exec("echo again")), "again\n");
  }
}

TEST_F(SandboxLifeTest, ASandboxWhoseFirstProcessIsKilledIsReplaced) {
  const JsonObject begun =
      house_.exec("touch /tmp/old; echo before; setsid " + forever() + " & " + forever(), {{"background", true}});
  const JsonObject terminal = house_.exec(forever(), {{"background", true}, {"pty", true}});
  house_.process("wait", id_of(begun), {{"until", "before"}, {"timeout", 20000}, {"offset", 0}});
  ASSERT_EQ(holders().size(), 1u);
  ::kill(holders()[0], SIGKILL);
  for (const JsonObject& job : {begun, terminal}) {
    const JsonObject ended = house_.process("wait", id_of(job), {{"timeout", 20000}});
    EXPECT_EQ(status_of(ended), "failed") << write_json(ended);
    EXPECT_EQ(text_or(details_of(ended), "exitSignal"), "SIGKILL");
  }
  EXPECT_EQ(text_or(details_of(house_.process("poll", id_of(begun), {{"offset", 0}})), "output"), "before\n");
  await_none_marked();
  const auto look = [&] { return text_of(house_.exec("ls /tmp/old 2>&- || echo fresh")); };
  const std::string first = look();  // may come before the gateway has heard of it
  EXPECT_TRUE(first == "fresh\n" || first.find("the next command gets a new one") != std::string::npos) << first;
  EXPECT_EQ(look(), "fresh\n");
  EXPECT_EQ(holders().size(), 1u);
}

// --- workspaces ---

TEST_F(SandboxLifeTest, AWorkspaceMadeAgainIsTheNewOne) {
  const std::string place = home() + "/again";
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(make_directories(place));
    EXPECT_EQ(text_of(run_in(place, "ls -A; touch made; pwd")), place + "\n");
    EXPECT_TRUE(exists(place + "/made"));
    ASSERT_TRUE(remove_tree(place));
  }
}

TEST_F(SandboxLifeTest, AWorkspaceThatIsGoneIsSaidSo) {
  const std::string place = home() + "/gone";
  ASSERT_TRUE(make_directories(place));
  const JsonObject first = run_in(place, "echo ok");
  EXPECT_EQ(text_of(first), "ok\n");
  ASSERT_TRUE(remove_tree(place));
  const Result<JsonObject> result = house_.connect().call_object(
      "tools/call", {{"name", "exec"},
                     {"arguments", JsonObject{{"command", "touch /tmp/ran"}}},
                     {"client", "cli"},
                     {"session", JsonObject{{"id", text_or(details_of(first), "agentSession")}}}});
  const std::string said = result ? text_of(*result) : result.error().message();
  EXPECT_THAT(said, HasSubstr(place));
  EXPECT_TRUE(!result || boolean_or(*result, "isError")) << said;
}

TEST_F(SandboxLifeTest, OddWorkspacesAreUsedOrExplained) {
  for (const char* name : {"with space", "new\nline", "ünïcode-日本", "quo'te\"s", "-dash", "$(touch evil)"}) {
    const std::string place = home() + "/" + name;
    ASSERT_TRUE(make_directories(place));
    EXPECT_EQ(text_of(run_in(place, "touch made; pwd")), place + "\n");
    EXPECT_TRUE(exists(place + "/made")) << name;
  }
  ASSERT_EQ(::symlink(house_.workspace().c_str(), (home() + "/link").c_str()), 0);
  EXPECT_EQ(text_of(run_in(home() + "/link", "touch through-link; pwd -P")), house_.workspace() + "\n");
  EXPECT_TRUE(exists(house_.workspace() + "/through-link"));
  for (const std::string& place : {home(), std::string("/"), std::string("/tmp"), std::string("/etc")}) {
    const JsonObject result = run_in(place, "touch " + place + "/written-inside; ls " + place + "/h 2>&-");
    EXPECT_THAT(text_or(details_of(result), "note"),
                AllOf(HasSubstr(place == "/" ? "The workspace is /" : "The workspace " + place),
                      HasSubstr("Start the session in a project directory")))
        << write_json(result);
    EXPECT_FALSE(exists(place + "/written-inside")) << place;
  }
}

// --- what a job leaves ---

TEST_F(SandboxLifeTest, ADaemonEndsWithKillAndWithRemove) {
  for (const char* action : {"kill", "remove"}) {
    const JsonObject result = house_.exec("(setsid " + forever() + " >/dev/null 2>&1 &); echo started");
    EXPECT_EQ(status_of(result), "completed");
    EXPECT_EQ(integer_or(details_of(result), "childrenStillRunning"), 1) << write_json(result);
    await("the daemon to be there", [&] { return marked().size() == 1; });
    const JsonObject ended = house_.process(action, id_of(result));
    EXPECT_FALSE(boolean_or(ended, "isError")) << text_of(ended);
    await_none_marked();
  }
}

TEST_F(SandboxLifeTest, StoppingLeavesNoProcess) {
  for (int i = 0; i < 5; ++i) {
    house_.exec("trap '' TERM HUP INT; setsid nohup " + forever() + " & " + forever(), {{"background", true}});
    run_in(house_.workspace(), "setsid " + forever() + " &", "other" + std::to_string(i));
  }
  const pid_t gateway = house_.gateway_pid();
  const std::vector<pid_t> tree = descendants_of(gateway);
  EXPECT_GE(tree.size(), 20u);
  stop();
  EXPECT_FALSE(lives(gateway));
  EXPECT_THAT(marked(), IsEmpty());
  await("the sandboxes' own processes to end", [&] { return std::ranges::none_of(tree, lives); });
}

}  // namespace
}  // namespace talaria
