// What a sandbox shows while it stands, through the keeper.
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "keeper/keeper_trial.h"
#include "keeper/protocol.h"
#include "keeper/show_frames.h"
#include "os/proc.h"
#include "os/socket.h"
#include "sandbox/shown_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class KeeperShowTest : public KeeperTrial {
 protected:
  void open(const std::string& space) {
    Result<SessionPlan> plan = trial_.plan();
    ASSERT_TRUE(plan) << plan.error().message();
    plan->command.argv = {"/bin/sh"};
    client_->open_space({space, plan->space, plan->command, trial_.profile, trial_.workspace});
  }

  std::vector<ShowWish> wishes(const std::vector<ShownPath>& paths) {
    std::vector<ShowWish> list;
    for (const ShownPath& path : paths) list.push_back(wish_for(path));
    return list;
  }

  Result<ShowAnswer> show_in(const std::string& space, const std::vector<ShownPath>& paths) {
    std::optional<Result<ShowAnswer>> answer;
    const KeeperClient::Call call =
        client_->show(space, wishes(paths), [&](Result<ShowAnswer> told) { answer.emplace(std::move(told)); });
    run_until([&] { return answer.has_value(); });
    return answer ? *answer : Error(ErrorCode::timed_out, "no answer");
  }

  std::string output_in(const std::string& space, const std::string& script) {
    const std::string job = "j" + std::to_string(++jobs_);
    StartOptions options;
    options.space = space;
    const Result<JobStatus> started = start(job, script + " 2>&1", std::move(options));
    if (!started) return started.error().message();
    (void)await_end(job);
    return whole_.contains(job) ? whole_[job] : read(job, 0).data;
  }

  pid_t holder() const {
    for (const pid_t pid : descendants_of(client_->keeper_pid())) {
      const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
      if (name && *name == "talaria-sandbox\n") return pid;
    }
    return 0;
  }

  SkillTrial trial_;
  int jobs_ = 0;
  const std::vector<ShownPath> both_ = {same(trial_.skill), same(trial_.token)};
  const std::vector<ShowOutcome> shown_ = {{ShowState::shown}, {ShowState::shown}};
};

constexpr const char* server =
    "perl -MIO::Socket -e '$s = IO::Socket::INET->new(LocalAddr => \"127.0.0.1:8123\", Listen => 1) or die; "
    "$| = 1; print \"ready\\n\"; while ($c = $s->accept) { print $c \"hello from inside\\n\"; close $c }'";

TEST_F(KeeperShowTest, ASessionThatRunsSeesItAndKeepsWhatItHas) {
  open("s");
  StartOptions options;
  options.space = "s";
  ASSERT_TRUE(start("server", server, std::move(options)));
  (void)await_output("server", "ready");
  EXPECT_EQ(output_in("s", "echo kept > /tmp/word; cat " + trial_.token),
            "cat: " + trial_.token + ": No such file or directory\n");
  const Result<ShowAnswer> answer = show_in("s", both_);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(*answer, (ShowAnswer{shown_, true}));
  EXPECT_EQ(output_in("s", "cat /tmp/word " + trial_.token + " < /dev/null; cat < /dev/tcp/127.0.0.1/8123"),
            "kept\nthe token\nhello from inside\n");
  EXPECT_FALSE(ended_.contains("server"));
}

TEST_F(KeeperShowTest, WhatIsSentRightAfterTheSandboxWaitsUntilItStands) {
  open("s");
  EXPECT_EQ(*show_in("s", both_), (ShowAnswer{shown_, true}));
  open("t");
  EXPECT_THAT(output_in("t", "cat " + trial_.token), HasSubstr("No such file"));
}

TEST_F(KeeperShowTest, EachPathIsAnsweredForItself) {
  open("s");
  const Result<ShowAnswer> answer =
      show_in("s", {same(trial_.skill), same(trial_.own + "/missing"), same(trial_.own), same("relative")});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcomes[0], ShowOutcome{ShowState::shown});
  EXPECT_THAT(answer->outcomes[1].reason, HasSubstr("No such file"));
  EXPECT_THAT(answer->outcomes[2].reason, HasSubstr("hidden in it"));
  EXPECT_THAT(answer->outcomes[3].reason, HasSubstr("plainest form"));
}

TEST_F(KeeperShowTest, TheNextGatewayFindsWhatWasShown) {
  open("s");
  ASSERT_EQ(*show_in("s", both_), (ShowAnswer{shown_, true}));
  calls_.clear();
  client_.reset();
  connect();
  EXPECT_EQ(output_in("s", "cat " + trial_.token), "the token\n");
  EXPECT_EQ(*show_in("s", both_), (ShowAnswer{shown_, false}));
  EXPECT_EQ(*show_in("s", {}), (ShowAnswer{{}, true}));
  EXPECT_THAT(output_in("s", "cat " + trial_.token), HasSubstr("No such file or directory"));
}

TEST_F(KeeperShowTest, OneInsideAnotherComesInTheSameAnswer) {
  open("s");
  trial_.write(trial_.own + "/other/file", "inner\n");
  const ShownPath inner{trial_.skill + "/scripts", trial_.own + "/other"};
  ASSERT_EQ(*show_in("s", {inner}), (ShowAnswer{{{ShowState::shown}}, true}));
  EXPECT_EQ(*show_in("s", {inner, same(trial_.skill)}), (ShowAnswer{shown_, true}));
  EXPECT_EQ(output_in("s", "cat " + trial_.skill + "/SKILL.md " + inner.target + "/file"), "the skill\ninner\n");
}

TEST_F(KeeperShowTest, ManyAreShownAtOnceAndOneMoreThanAllIsRefused) {
  open("s");
  std::vector<ShownPath> many;
  for (size_t i = 0; i < most_shown_paths; ++i)
    many.push_back({trial_.own + "/many/" + std::to_string(i), trial_.skill});
  const Result<ShowAnswer> answer = show_in("s", many);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->outcomes, std::vector<ShowOutcome>(most_shown_paths, ShowOutcome{ShowState::shown}));
  EXPECT_EQ(output_in("s", "cat " + trial_.own + "/many/*/SKILL.md | wc -l"), std::to_string(most_shown_paths) + "\n");
  many.push_back(same(trial_.skill));
  EXPECT_EQ(show_in("s", many).error().code(), ErrorCode::invalid_argument);
}

TEST_F(KeeperShowTest, RequestsAreTakenOneAfterTheOther) {
  open("s");
  std::vector<bool> changed;
  std::vector<KeeperClient::Call> calls;
  const auto note = [&](const Result<ShowAnswer>& answer) { changed.push_back(answer && answer->changed); };
  for (const bool shown : {true, true, false, false, true}) {
    calls.push_back(client_->show("s", shown ? wishes(both_) : std::vector<ShowWish>(), note));
  }
  run_until([&] { return changed.size() == calls.size(); });
  EXPECT_EQ(changed, (std::vector<bool>{true, false, true, false, true}));
  EXPECT_EQ(output_in("s", "cat " + trial_.token), "the token\n");
}

TEST_F(KeeperShowTest, ASandboxThatIsNotThereOrDiesIsSaid) {
  EXPECT_EQ(show_in("none", both_).error().code(), ErrorCode::cancelled);
  open("s");
  ASSERT_TRUE(show_in("s", {}));
  ASSERT_EQ(::kill(holder(), SIGSTOP), 0);
  std::vector<ErrorCode> codes;
  std::vector<KeeperClient::Call> calls;
  for (int i = 0; i < 3; ++i) {
    calls.push_back(client_->show("s", wishes(both_), [&](const Result<ShowAnswer>& answer) {
      codes.push_back(answer ? ErrorCode::system : answer.error().code());
    }));
  }
  // Meanwhile the keeper does other things.
  EXPECT_EQ(whole_.size(), 0u);
  ASSERT_TRUE(start("a", "echo on the host"));
  (void)await_end("a");
  EXPECT_EQ(whole_["a"], "on the host\n");
  ASSERT_EQ(::kill(holder(), SIGKILL), 0);
  run_until([&] { return codes.size() == 3; });
  EXPECT_EQ(codes, std::vector<ErrorCode>(3, ErrorCode::unavailable));
}

// Reported, never asserted: times belong to the benchmarks.
TEST_F(KeeperShowTest, TellsHowLongItTakes) {
  open("s");
  const auto median = [](auto&& action) {
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) {
      const auto start = Clock::now();
      action(i);
      times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::ranges::sort(times);
    return std::to_string(times.front()) + " / " + std::to_string(times[times.size() / 2]) + " ms";
  };
  // run_until looks once a millisecond, so the answer stops the loop itself.
  const auto ask = [&](const std::vector<ShownPath>& paths) {
    const KeeperClient::Call call = client_->show("s", wishes(paths), [&](const Result<ShowAnswer>&) { loop_.stop(); });
    loop_.run();
  };
  ask({});
  std::cout << "change (least / median): " << median([&](int i) { ask(i % 2 ? std::vector<ShownPath>() : both_); })
            << "\nthe same again: " << median([&](int) { ask(both_); }) << std::endl;
}

// One of a version before: it names no such step.
TEST(OldKeeperTest, IsNotAskedToShowAnything) {
  Home home;
  home.root = testing::TempDir() + "k" + id_from(random_u64());
  home.runtime = home.root + "/run";
  ASSERT_TRUE(home.prepare());
  const UniqueFd listener = *listen_unix(home.keeper_socket());
  Loop loop;
  UniqueFd keeper;
  std::thread greeting([&] {
    pollfd waiting{listener.get(), POLLIN, 0};
    ::poll(&waiting, 1, 10'000);
    keeper = *accept_unix(listener.get());
    CHECK(write_all(keeper.get(), encode_frame({{"event", "hello"},
                                                {"protocol", keeper_protocol},
                                                {"version", "0.0.9"},
                                                {"steps", JsonArray{"identity", "fds"}}},
                                               "[]")));
  });
  KeeperClient::Events events;
  events.on_lost = [](const Error&) {};
  Result<std::unique_ptr<KeeperClient>> client = KeeperClient::open(loop, home, std::move(events));
  greeting.join();
  ASSERT_TRUE(client) << client.error().message();
  std::string told;
  const KeeperClient::Call call = (*client)->show("s", {}, [&](const Result<ShowAnswer>& answer) {
    told = answer ? "shown" : answer.error().message();
    loop.stop();
  });
  loop.run();
  EXPECT_THAT(told, HasSubstr("the running keeper (version 0.0.9) is older and cannot show"));
  (void)remove_tree(home.root);
}

TEST(ShowFramesTest, WhatIsBrokenIsRefused) {
  const std::vector<ShowWish> wishes = {{{"/a", "/b"}, 1, UINT64_MAX}};
  EXPECT_EQ(*wishes_in({{{"count", 1}}, pack_wishes(wishes), {}}), wishes);
  EXPECT_FALSE(wishes_in({{{"count", 2}}, pack_wishes(wishes), {}}));
  EXPECT_FALSE(wishes_in({{{"count", -1}}, pack_wishes(wishes), {}}));
  EXPECT_FALSE(wishes_in({{{"count", 1}}, pack_strings({"/a", "/b", "1", "x"}), {}}));
  EXPECT_FALSE(wishes_in({{{"count", 1}}, pack_strings({"/a", "/b", "", "1"}), {}}));
  EXPECT_FALSE(show_answer_in({{{"count", 1}}, pack_strings({"shown"}), {}}));
}

}  // namespace
}  // namespace talaria
