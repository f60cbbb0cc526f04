// What one job or one connection does leaves the others alone.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "keeper/keeper_trial.h"

namespace talaria {
namespace {

class KeeperFairnessTest : public KeeperTrial {
 protected:
  void TearDown() override {
    for (const pid_t pid : writers_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    KeeperTrial::TearDown();
  }

  // Somebody outside of the job who writes into its output as fast as can be, for ever.
  void write_from_outside(pid_t command) {
    const std::string script = "exec yes > /proc/" + std::to_string(command) + "/fd/1";
    const char* argv[] = {"sh", "-c", script.c_str(), nullptr};
    pid_t pid = 0;
    ASSERT_EQ(::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, const_cast<char**>(argv), environ), 0);
    writers_.push_back(pid);
  }

  std::vector<pid_t> writers_;
};

TEST_F(KeeperFairnessTest, AStrangerWhoWritesIntoAJobsOutputForEverDoesNotKeepItFromEnding) {
  StartOptions options;
  options.stdin_kind = Stdin::pipe;
  const Result<JobStatus> started = start("a", "read -r line; echo end; exit 3", std::move(options));
  ASSERT_TRUE(started);
  for (int i = 0; i < 4; ++i) write_from_outside(started->pid);
  await_output("a", "y\ny\n");
  ASSERT_TRUE(await([&](auto done) { return client_->write("a", "go\n", true, {}, done); }));
  EXPECT_EQ(await_end("a").exit_code, 3);
  run_until([&] { return gone_.count("a") > 0; });
  ASSERT_TRUE(start("b", "echo another"));
  EXPECT_EQ(await_end("b").exit_code, 0);
}

TEST_F(KeeperFairnessTest, ACancelledReadLeavesThoseOfOtherConnectionsAlone) {
  StartOptions options;
  options.stdin_kind = Stdin::pipe;
  ASSERT_TRUE(start("a", "cat", std::move(options)));
  KeeperClient::Events events;
  events.on_ended = [](const JobStatus&, const std::optional<std::string>&) {};
  events.on_gone = [](const JobStatus&) {};
  events.on_lost = [](const Error&) {};
  std::unique_ptr<KeeperClient> other = *KeeperClient::open(loop_, home_, std::move(events));
  // Each connection numbers its requests from one: both reads have the number two.
  std::optional<std::string> heard;
  const KeeperClient::Call waiting = client_->read("a", 0, 100, {keeper_patience}, [&](const Result<Chunk>& chunk) {
    heard = chunk ? chunk->data : chunk.error().message();
  });
  const auto listed = [&](KeeperClient& client) {
    bool answered = false;
    const KeeperClient::Call call = client.list([&](const Result<std::vector<JobStatus>>&) { answered = true; });
    run_until([&] { return answered; });
  };
  listed(*other);
  KeeperClient::Call dropped = other->read("a", 0, 100, {keeper_patience}, [](const Result<Chunk>&) {});
  dropped = {};
  listed(*other);  // the keeper has heard of it
  ASSERT_TRUE(await([&](auto done) { return client_->write("a", "hello", true, {}, done); }));
  run_until([&] { return heard.has_value(); });
  EXPECT_EQ(heard, "hello");
  await_end("a");
}

}  // namespace
}  // namespace talaria
