// Descriptors that a start gives to its command, and to the keeper to keep; on the plain host and in a sandbox.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>

#include <thread>

#include "keeper/frame.h"
#include "keeper/keeper_trial.h"
#include "keeper/protocol.h"
#include "os/socket.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

// What a keeper of before would hear of it: a step it does not know, which it refuses.
TEST(JobFdsStepTest, AStartWithDescriptorsSaysThatItReliesOnThem) {
  Home home;
  home.root = testing::TempDir() + "k" + id_from(random_u64());
  home.runtime = home.root + "/run";
  ASSERT_TRUE(home.prepare());
  const UniqueFd listener = *listen_unix(home.keeper_socket());
  std::thread keeper([&] {
    pollfd waiting{listener.get(), POLLIN, 0};
    ::poll(&waiting, 1, 10'000);
    const UniqueFd gateway = *accept_unix(listener.get());
    CHECK(write_all(gateway.get(), encode_frame({{"event", "hello"}, {"protocol", keeper_protocol}}, "[]")));
    waiting = {gateway.get(), POLLIN, 0};
    ::poll(&waiting, 1, 10'000);
    char buffer[16 << 10];
    Received received = *receive_some(gateway.get(), buffer, sizeof buffer);
    FrameReader reader;
    reader.feed({buffer, received.count});
    const Frame frame = *std::move(*reader.next());
    EXPECT_EQ(frame.header.at("steps"), Json({"fds"}));
    EXPECT_EQ(frame.header.at("numbers"), Json({5}));
    EXPECT_EQ(frame.header.at("kept"), Json(1));
    EXPECT_EQ(received.fds.size(), 2u);
  });
  Loop loop;
  KeeperClient::Events events;
  events.on_lost = [&](const Error&) { loop.stop(); };
  std::unique_ptr<KeeperClient> client = *KeeperClient::open(loop, home, std::move(events));
  StartOptions options;
  options.job = "a";
  options.fds.push_back({5, *open_file("/dev/null", O_RDONLY)});
  options.kept.push_back(*open_file("/dev/null", O_RDONLY));
  const KeeperClient::Call call =
      client->start(Gate::permit({{"/bin/true"}, "/", {}}), std::move(options), [](const Result<JobStatus>&) {});
  loop.run();
  keeper.join();
  EXPECT_TRUE(remove_tree(home.root));
}

enum class Where { host, sandbox };

class JobFdsTest : public KeeperTrial, public testing::WithParamInterface<Where> {
 protected:
  Result<JobStatus> start_here(const std::string& job, const std::string& script, StartOptions options = {}) {
    if (GetParam() == Where::sandbox) {
      Result<SessionPlan> plan = trial_.plan();
      if (!plan) return plan.error();
      plan->command.argv = {"/bin/sh"};
      client_->open_space({"s", plan->space, plan->command, trial_.profile, trial_.workspace});
      options.space = "s";
    }
    return start(job, script, std::move(options));
  }

  Result<std::vector<UniqueFd>> kept(KeeperClient& client, const std::string& job) {
    std::optional<Result<std::vector<UniqueFd>>> answer;
    calls_.push_back(client.kept(job, [&](Result<std::vector<UniqueFd>> fds) { answer.emplace(std::move(fds)); }));
    run_until([&] { return answer.has_value(); });
    if (!answer) return Error(ErrorCode::timed_out, "no answer");
    return *std::move(answer);
  }

  static std::string all_of(const UniqueFd& fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = ::read(fd.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, count);
    return text;
  }

  SpaceTrial trial_;
};

INSTANTIATE_TEST_SUITE_P(Everywhere, JobFdsTest, testing::Values(Where::host, Where::sandbox),
                         [](const auto& each) { return each.param == Where::host ? "OnTheHost" : "InASandbox"; });

TEST_P(JobFdsTest, KeepsStderrApartFromStdout) {
  auto [errors, writing] = *make_pipe();
  StartOptions options;
  options.fds.push_back({2, std::move(writing)});
  ASSERT_TRUE(start_here("a", "echo out; echo wrong >&2", std::move(options)));
  (void)await_end("a");
  EXPECT_EQ(whole_["a"], "out\n");
  EXPECT_EQ(all_of(errors), "wrong\n");  // and its end: nobody else holds the pipe
}

TEST_P(JobFdsTest, LeavesStderrWithStdoutWhenOnlyOthersAreGiven) {
  auto [reading, writing] = *make_pipe();
  StartOptions options;
  options.fds.push_back({9, std::move(writing)});
  ASSERT_TRUE(start_here("a", "echo out; echo wrong >&2; echo nine >&9", std::move(options)));
  (void)await_end("a");
  EXPECT_EQ(whole_["a"], "out\nwrong\n");
  EXPECT_EQ(all_of(reading), "nine\n");
}

TEST_P(JobFdsTest, TalksOverASocket) {
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  StartOptions options;
  options.fds.push_back({3, std::move(theirs)});
  ASSERT_TRUE(start_here("a", "read -u 3 line; echo \"answer to $line\" >&3", std::move(options)));
  ASSERT_TRUE(write_all(mine.get(), "question\n"));
  EXPECT_EQ(all_of(mine), "answer to question\n");
}

TEST_P(JobFdsTest, GivesNoOtherDescriptors) {
  StartOptions options;
  std::vector<UniqueFd> other_ends;
  for (const int number : {63, 4, 5, 6, 7, 8, 9, 2}) {
    auto [reading, writing] = *make_pipe();
    other_ends.push_back(std::move(reading));
    options.fds.push_back({number, std::move(writing)});
  }
  options.kept.push_back(*open_file("/dev/null", O_RDONLY));
  options.stdin_kind = Stdin::fd;
  options.stdin_fd = *open_file("/dev/null", O_RDONLY);
  ASSERT_TRUE(start_here("a", "exec ls -v /proc/self/fd", std::move(options)));
  (void)await_end("a");
  EXPECT_EQ(whole_["a"], "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n63\n");  // 3 is the listing itself
}

TEST_P(JobFdsTest, RefusesWhatACommandCannotBeGiven) {
  const auto complaint = [&](const std::vector<int>& numbers, std::optional<WindowSize> terminal = {}) {
    StartOptions options;
    options.terminal = terminal;
    for (const int number : numbers) options.fds.push_back({number, *open_file("/dev/null", O_RDONLY)});
    const Result<JobStatus> status = start_here("a", "true", std::move(options));
    return status ? "" : status.error().message();
  };
  EXPECT_THAT(complaint({0}), HasSubstr("descriptor 0 cannot"));
  EXPECT_THAT(complaint({1}), HasSubstr("descriptor 1 cannot"));
  EXPECT_THAT(complaint({64}), HasSubstr("descriptor 64 cannot"));
  EXPECT_THAT(complaint({3, 3}), HasSubstr("twice"));
  EXPECT_THAT(complaint({2}, WindowSize{}), HasSubstr("terminal"));
  EXPECT_THAT(complaint({2, 3, 4, 5, 6, 7, 8, 9, 10}), HasSubstr("not 9"));
  StartOptions many;
  for (int i = 0; i < 9; ++i) many.kept.push_back(*open_file("/dev/null", O_RDONLY));
  EXPECT_THAT(start_here("a", "true", std::move(many)).error().message(), HasSubstr("at most 8"));
}

TEST_P(JobFdsTest, KeptOnesSurviveTheClientThatGaveThem) {
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  StartOptions options;
  options.fds.push_back({3, std::move(theirs)});
  options.kept.push_back(std::move(mine));
  ASSERT_TRUE(
      start_here("a", "read -u 3 line; echo \"$line\" >&3; read -u 3 line; echo \"$line\"", std::move(options)));
  Result<std::vector<UniqueFd>> first = kept(*client_, "a");
  ASSERT_TRUE(first) << first.error().message();
  ASSERT_EQ(first->size(), 1u);
  ASSERT_TRUE(write_all(first->at(0).get(), "one\n"));
  first->clear();
  calls_.clear();
  client_.reset();
  connect();
  Result<std::vector<UniqueFd>> second = kept(*client_, "a");
  ASSERT_TRUE(second) << second.error().message();
  ASSERT_EQ(second->size(), 1u);
  char line[16] = {};
  EXPECT_EQ(::read(second->at(0).get(), line, sizeof line - 1), 4);
  EXPECT_STREQ(line, "one\n");
  ASSERT_TRUE(write_all(second->at(0).get(), "two\n"));
  EXPECT_EQ(await_output("a", "two"), "two\n");
}

TEST_P(JobFdsTest, KeptOnesAreClosedWhenTheJobIsGone) {
  auto [reading, writing] = *make_pipe();
  StartOptions options;
  options.kept.push_back(std::move(writing));
  ASSERT_TRUE(start_here("a", "true", std::move(options)));
  run_until([&] { return gone_.contains("a"); });
  EXPECT_EQ(all_of(reading), "");  // its end
  const Result<std::vector<UniqueFd>> none = kept(*client_, "a");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  EXPECT_EQ(kept(*client_, "another").error().code(), ErrorCode::not_found);
}

TEST_P(JobFdsTest, DrainingSeesAllThatWasPrintedBefore) {
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  StartOptions options;
  options.fds.push_back({3, std::move(theirs)});
  ASSERT_TRUE(
      start_here("a", "while read -u 3; do head -c 1000000 /dev/zero; echo done >&3; done", std::move(options)));
  for (uint64_t round = 1; round <= 5; ++round) {
    ASSERT_TRUE(write_all(mine.get(), "go\n"));
    bool printed = false;
    const Loop::Watch watch = *loop_.on_readable(mine.get(), [&] { printed = true; });
    run_until([&] { return printed; });
    char word[16];
    ASSERT_EQ(::read(mine.get(), word, sizeof word), 5);
    const Result<JobStatus> status = await([&](auto done) { return client_->drain("a", done); });
    ASSERT_TRUE(status) << status.error().message();
    EXPECT_EQ(status->output_bytes, round * 1'000'000);
    EXPECT_TRUE(status->running);
  }
}

TEST_P(JobFdsTest, DrainingAJobThatAReaderHoldsBackAnswersWithWhatItHas) {
  StartOptions options;
  options.max_log_bytes = 1 << 20;
  ASSERT_TRUE(start_here("a", "exec cat /dev/zero", std::move(options)));
  client_->hold("a", 1, 0);
  run_until([&] { return read("a", 0).status.output_bytes > 128 << 10; });
  const Result<JobStatus> status = await([&](auto done) { return client_->drain("a", done); });
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_TRUE(status->running);
  const Result<JobStatus> again = await([&](auto done) { return client_->drain("a", done); });
  ASSERT_TRUE(again);
  EXPECT_EQ(again->output_bytes, status->output_bytes);
}

TEST_P(JobFdsTest, DrainingATerminalAndAJobThatIsGone) {
  StartOptions options;
  options.terminal = WindowSize{};
  ASSERT_TRUE(start_here("a", "echo hi; exec sleep 1000", std::move(options)));
  await_output("a", "hi");
  const Result<JobStatus> status = await([&](auto done) { return client_->drain("a", done); });
  ASSERT_TRUE(status);
  EXPECT_EQ(status->output_bytes, 4u);  // hi\r\n
  ASSERT_TRUE(await([&](auto done) { return client_->end("a", 0ms, done); }));
  EXPECT_TRUE(await([&](auto done) { return client_->drain("a", done); })->gone);
}

}  // namespace
}  // namespace talaria
