#pragma once
// For tests.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "keeper/client.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {

// Stands in for the real gate, which lies above this module.
class Gate {
 public:
  static Permit permit(Command command) { return Permit(std::move(command)); }
};

constexpr auto keeper_patience = 20s;

// A keeper as a real program with a home of its own, and a client.
class KeeperTrial : public testing::Test {
 protected:
  void SetUp() override {
    home_.root = testing::TempDir() + "k" + id_from(random_u64());
    home_.runtime = home_.root + "/run";
    ::unsetenv("XDG_RUNTIME_DIR");
    ASSERT_TRUE(home_.prepare());
    connect();
  }

  void TearDown() override {
    const pid_t keeper = client_ ? client_->keeper_pid() : 0;
    if (keeper) {
      calls_.push_back(client_->shut_down([this](Result<JobStatus>) { done_ = true; }));
      run_until([this] { return done_ || lost_; });
    }
    calls_.clear();
    client_.reset();
    (void)remove_tree(home_.root);
  }

  void connect() {
    KeeperClient::Events events;
    events.on_ended = [this](const JobStatus& status, std::optional<std::string> output) {
      ended_[status.job] = status;
      if (output) whole_[status.job] = *output;
    };
    events.on_gone = [this](const JobStatus& status) { gone_[status.job] = status; };
    events.on_lost = [this](const Error&) { lost_ = true; };
    events.on_space_gone = [this](const std::string& space, const std::string& reason) {
      spaces_gone_[space] = reason;
    };
    Result<std::unique_ptr<KeeperClient>> client = KeeperClient::open(loop_, home_, std::move(events));
    ASSERT_TRUE(client) << client.error().message();
    client_ = std::move(*client);
  }

  template <class Condition>
  void run_until(Condition condition) {
    bool late = false;
    const Loop::Timer deadline = loop_.after(keeper_patience, [&] { late = true; });
    // One timer that looks after each turn of the loop is simplest: the loop is otherwise event-driven.
    while (!condition() && !late) {
      const Loop::Timer turn = loop_.after(1ms, [this] { loop_.stop(); });
      loop_.run();
    }
    ASSERT_FALSE(late) << "waited too long";
  }

  Result<JobStatus> start(const std::string& job, const std::string& script, StartOptions options = {}) {
    options.job = job;
    Command command{{"/bin/bash", "-c", script}, "/", {{"PATH", "/usr/bin:/bin"}, {"TALARIA_JOB", job}}};
    return await([&](auto done) { return client_->start(Gate::permit(command), std::move(options), done); });
  }

  template <class Ask>
  Result<JobStatus> await(Ask ask) {
    std::optional<Result<JobStatus>> answer;
    calls_.push_back(ask([&](Result<JobStatus> status) { answer.emplace(std::move(status)); }));
    run_until([&] { return answer.has_value(); });
    if (!answer) return Error(ErrorCode::timed_out, "no answer");
    return *answer;
  }

  Chunk read(const std::string& job, uint64_t offset, Clock::duration wait = 0ms) {
    std::optional<Chunk> chunk;
    calls_.push_back(client_->read(job, offset, 1 << 20, {wait}, [&](Result<Chunk> result) {
      ASSERT_TRUE(result) << result.error().message();
      chunk = std::move(*result);
    }));
    run_until([&] { return chunk.has_value(); });
    return chunk.value_or(Chunk{});
  }

  JobStatus await_end(const std::string& job) {
    run_until([&] { return ended_.count(job) > 0; });
    return ended_[job];
  }

  // Reads until `text` was printed.
  std::string await_output(const std::string& job, const std::string& text) {
    std::string all;
    const auto deadline = Clock::now() + keeper_patience;
    while (all.find(text) == std::string::npos && Clock::now() < deadline) all += read(job, all.size(), 1s).data;
    EXPECT_NE(all.find(text), std::string::npos) << all;
    return all;
  }

  Loop loop_;
  Home home_;
  std::map<std::string, JobStatus> ended_, gone_;
  std::map<std::string, std::string> whole_;
  std::map<std::string, std::string> spaces_gone_;
  bool lost_ = false, done_ = false;
  std::unique_ptr<KeeperClient> client_;
  std::vector<KeeperClient::Call> calls_;
};

}  // namespace talaria
