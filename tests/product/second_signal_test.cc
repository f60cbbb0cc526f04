// A second signal always leaves the command line, whatever it waits for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/text.h"
#include "os/file.h"
#include "os/proc.h"
#include "product/fake_gateway.h"
#include "product/house.h"
#include "product/prompt_window.h"

namespace talaria {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// A gateway that answers nothing for as long as this lives.
class StoppedGateway {
 public:
  explicit StoppedGateway(House& house) : pid_(house.gateway_pid()) { ::kill(pid_, SIGSTOP); }
  ~StoppedGateway() { go_on(); }
  void go_on() { ::kill(pid_, SIGCONT); }

 private:
  pid_t pid_;
};

const std::string silent =
    "talaria: the gateway does not answer, so the command may or may not be running. Check with: talaria ps\n";

void signal_twice(const Running& client, int signal) {
  ::kill(client.pid(), signal);
  await_next_signal();
  ::kill(client.pid(), signal);
}

// It has begun to wait for what it asked for: its handlers stand and it reads no more.
void await_caught(const Running& client) {
  await("its signals to be caught", [&] {
    const Result<std::string> status = read_file("/proc/" + std::to_string(client.pid()) + "/status");
    const size_t at = status ? status->find("SigCgt:") : std::string::npos;
    return at != std::string::npos && (std::stoull(status->substr(at + 8), nullptr, 16) & (1u << (SIGHUP - 1))) != 0;
  });
}

void await_delivered(const Running& client) {
  await("the signal to be heard", [&] {
    const Result<std::string> status = read_file("/proc/" + std::to_string(client.pid()) + "/status");
    return status && status->find("ShdPnd:\t0000000000000000") != std::string::npos;
  });
}

// Without reading what it printed.
void await_exit(const Running& client) {
  await("it to leave", [&] {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(client.pid()), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           info.si_pid != 0;
  });
}

class SecondSignalTest : public testing::Test {
 protected:
  PlainHouse house_;
};

TEST_F(SecondSignalTest, LeavesAGatewayThatDoesNotAnswerAtTheStartOfACommand) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    house_.exec("true");
    const StoppedGateway stopped(house_);
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"exec", "--no-stdin", "true"}, {"exec", "--json", "true"}, {"code", "-c", "1"}}) {
      Running client = house_.start(command);
      await_caught(client);
      signal_twice(client, signal);
      const Ran ran = client.finish();
      EXPECT_EQ(ran.code, command.front() == "code" ? 130 : 128 + signal) << command.front() << ": " << ran.err;
    }
  }
}

TEST_F(SecondSignalTest, LeavesACommandWhoseGatewayStoppedMeanwhile) {
  Running client = house_.start({"exec", "--no-stdin", "trap '' INT; echo ready; exec sleep 600"});
  client.await_output("ready\n");
  {
    const StoppedGateway stopped(house_);
    signal_twice(client, SIGINT);
    const Ran ran = client.finish();
    EXPECT_EQ(ran.code, 128 + SIGINT) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("talaria: stopped waiting at the second signal"));
  }
  // What it asked for at last was heard all the same.
  await("the command to be ended", [&] { return house_.run({"ps", "-rq"}).out.empty(); });
}

TEST_F(SecondSignalTest, LeavesAnOutputThatNobodyReads) {
  Running client = house_.start(
      {"exec", "--no-stdin", "trap 'touch told; exit 3' INT; yes | head -c 3000000; touch up; sleep 600 & wait"});
  await("the command to have printed", [&] { return exists(house_.workspace() + "/up"); });
  ::kill(client.pid(), SIGINT);
  await("the command to be told", [&] { return exists(house_.workspace() + "/told"); });
  await_next_signal();
  ::kill(client.pid(), SIGINT);
  await_exit(client);
  EXPECT_EQ(client.finish().code, 128 + SIGINT);
}

TEST_F(SecondSignalTest, OneSignalIsEnoughWhereNothingWasBegun) {
  house_.exec("true");
  const StoppedGateway stopped(house_);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"ps"}, {"wait", "k3f9"}, {"log", "-f", "k3f9"}, {"tool", "exec", R"({"command": "true"})"}, {"events"}}) {
    Running client = house_.start(command);
    ::kill(client.pid(), SIGTERM);
    EXPECT_EQ(client.finish().code, 128 + SIGTERM) << command.front();
  }
}

TEST_F(SecondSignalTest, OneSignalIsEnoughWhereTheStartHasNoAnswer) {
  house_.exec("true");
  const StoppedGateway stopped(house_);
  std::vector<std::pair<Running, int>> clients;
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const char* how : {"--no-stdin", "--json"}) {
      clients.emplace_back(house_.start({"exec", how, "true"}), signal);
      await_caught(clients.back().first);
      ::kill(clients.back().first.pid(), signal);
    }
  }
  for (auto& [client, signal] : clients) {
    const Ran ran = client.finish();
    EXPECT_EQ(ran.code, 128 + signal) << ran.err;
    EXPECT_EQ(ran.err, silent);
  }
}

// Only a gateway that is silent is left: the signal waits for one that takes its time.
TEST_F(SecondSignalTest, ASignalDuringASlowStartReachesTheCommand) {
  house_.exec("true");
  StoppedGateway stopped(house_);
  Running client = house_.start({"exec", "--no-stdin", "sleep 600"});
  await_caught(client);
  ::kill(client.pid(), SIGTERM);
  await_delivered(client);
  stopped.go_on();
  EXPECT_EQ(client.finish().code, 128 + SIGTERM);
  await("the command to be ended", [&] { return house_.run({"ps", "-rq"}).out.empty(); });
}

// One whose keeper never says that the command runs: it answers only what it knows itself.
TEST_F(SecondSignalTest, OneSignalIsEnoughWhereOnlyTheGatewayAnswers) {
  const auto take = [](int, const JsonObject& request) -> FakeAnswer {
    const std::string method = text_or(request, "method");
    if (method != "gateway/status" && method != "jobs/process") return {};
    return {answer_line(request, {{"content", JsonArray()}, {"details", {{"sessions", JsonArray()}}}})};
  };
  PlainHouse other;
  FakeGateway gateway(house_.home(), 1, take);
  FakeGateway other_gateway(other.home(), 1, take);
  Running clients[] = {house_.start({"exec", "--no-stdin", "true"}), other.start({"exec", "--json", "true"})};
  for (const Running& client : clients) {
    await_caught(client);
    ::kill(client.pid(), SIGTERM);
  }
  for (Running& client : clients) {
    const Ran ran = client.finish();
    EXPECT_EQ(ran.code, 128 + SIGTERM) << ran.err;
    EXPECT_EQ(ran.err, silent);
  }
}

TEST_F(SecondSignalTest, PutsTheTerminalBack) {
  PromptWindow window(house_, "talaria", {"exec", "-t", "trap '' INT TERM HUP; echo ready; exec sleep 600"});
  window.await_output("ready");
  EXPECT_FALSE(window.echoes());
  const StoppedGateway stopped(house_);
  ::kill(window.pid(), SIGTERM);
  await_next_signal();
  ::kill(window.pid(), SIGTERM);
  EXPECT_EQ(window.finish(), 128 + SIGTERM);
  EXPECT_TRUE(window.echoes());
}

TEST_F(SecondSignalTest, SignalsThatComeTogetherAreOne) {
  Running client = house_.start(
      {"exec", "--no-stdin", "trap 'sleep 1; echo cleaned; exit 4' TERM; echo ready; while :; do sleep 0.02; done"});
  client.await_output("ready\n");
  ::kill(client.pid(), SIGSTOP);
  ::kill(client.pid(), SIGTERM);
  ::kill(client.pid(), SIGHUP);
  ::kill(client.pid(), SIGCONT);
  const Ran ran = client.finish();
  EXPECT_EQ(ran.code, 4) << ran.err;
  EXPECT_THAT(ran.out, EndsWith("cleaned\n"));
}

// Also when the first was heard long before: timeout(1) does not hurry. Only a try in which both arrived within 20 ms
// says anything.
TEST_F(SecondSignalTest, SignalsThatComeSoonAfterEachOtherAreOne) {
  int told_twice = 0;
  for (int attempt = 0; attempt < 20 && told_twice < 3; ++attempt) {
    Running client = house_.start({"exec", "--no-stdin",
                                   "n=0; trap 'n=$((n + 1))' TERM; echo ready; until ((n)); do sleep 0.02; done; "
                                   "for i in 1 2 3 4; do sleep 0.05; done; exit $n"});
    client.await_output("ready\n");
    const auto begin = Clock::now();
    ::kill(client.pid(), SIGTERM);
    await("five milliseconds to pass", [&] { return Clock::now() > begin + 5ms; });
    ::kill(client.pid(), SIGHUP);
    await_delivered(client);
    const bool in_time = Clock::now() < begin + 20ms;
    const Ran ran = client.finish();
    if (ran.code == 1) return;
    if (in_time) ++told_twice;
  }
  EXPECT_EQ(told_twice, 0);
}

}  // namespace
}  // namespace talaria
