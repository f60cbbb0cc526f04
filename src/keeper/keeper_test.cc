// The keeper as a real program, driven through its client.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/id.h"
#include "keeper/keeper_trial.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/random.h"
#include "os/socket.h"
#include "process/output_log.h"

namespace talaria {

namespace {

using KeeperTest = KeeperTrial;

TEST_F(KeeperTest, RunsACommandAndGivesItsOutputWithItsEnd) {
  ASSERT_TRUE(start("a", "echo out; echo err >&2; exit 3"));
  const JobStatus status = await_end("a");
  EXPECT_EQ(status.exit_code, 3);
  EXPECT_EQ(status.exit_signal, 0);
  EXPECT_EQ(status.reason, EndReason::exit);
  EXPECT_EQ(whole_["a"], "out\nerr\n");
  EXPECT_FALSE(exists(home_.job("a")));  // short and taken by the gateway: nothing on disk
}

TEST_F(KeeperTest, TreatsARepeatedStartAsTheSameJob) {
  const Result<JobStatus> first = start("a", "sleep 60");
  const Result<JobStatus> second = start("a", "echo another");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->pid, second->pid);
}

TEST_F(KeeperTest, NamesTheStepThatFailed) {
  Command command{{"/bin/bash", "-c", "true"}, "/no/such/folder", {}};
  const auto begin = [&](auto done) {
    StartOptions options;
    options.job = "a";
    return client_->start(Gate::permit(command), std::move(options), done);
  };
  Result<JobStatus> outcome = await(begin);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message(), "step cwd: /no/such/folder: No such file or directory");
  command = {{"/no/such/program"}, "/", {}};
  outcome = await(begin);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message(), "step exec: /no/such/program: No such file or directory");
}

TEST_F(KeeperTest, ReturnsAtOnceWhenAChildIsLeftAndGathersWhatItPrintsLater) {
  ASSERT_TRUE(start("a", "(read -t 20 < <(sleep 20); echo late) & echo hi"));
  const JobStatus status = await_end("a");
  EXPECT_EQ(whole_["a"], "hi\n");
  EXPECT_GE(status.leftovers, 1);
  EXPECT_FALSE(status.gone);
  const Result<JobStatus> after = await([&](auto done) { return client_->end("a", 1s, done); });
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->gone);
}

TEST_F(KeeperTest, FindsAndEndsWhatFledIntoOtherSessions) {
  const std::string marks = home_.root + "/pids";
  ASSERT_TRUE(start("a",
                    "setsid sleep 300 & (setsid sh -c 'sleep 300' & ) ; sleep 300 & disown; "
                    "sleep 0.2; ps -eo pid,args | grep 'sleep 30[0]' | wc -l > " +
                        marks + "; echo ready; sleep 300"));
  await_output("a", "ready");
  const pid_t supervisor = *parent_of(start("a", "")->pid);
  const std::vector<pid_t> tree = descendants_of(supervisor);
  EXPECT_GE(tree.size(), 4u);
  ASSERT_TRUE(await([&](auto done) { return client_->end("a", 5s, done); }));
  for (pid_t pid : tree) EXPECT_NE(::kill(pid, 0), 0) << "pid " << pid << " is still there";
}

TEST_F(KeeperTest, EndsProgramsThatIgnoreTermAreStoppedOrLeaveZombies) {
  for (const char* script :
       {"trap '' TERM; echo ready; while :; do sleep 1; done", "echo ready; kill -STOP $$; sleep 300",
        "exec python3 -c 'import os,time\nfor i in range(5):\n  os.fork() or os._exit(0)\n"
        "print(\"ready\",flush=True)\ntime.sleep(300)'"}) {
    const std::string job = id_from(random_u64());
    ASSERT_TRUE(start(job, script));
    await_output(job, "ready");
    const Result<JobStatus> status = await([&](auto done) { return client_->end(job, 300ms, done); });
    ASSERT_TRUE(status) << script;
    EXPECT_TRUE(status->gone);
    EXPECT_EQ(status->reason, EndReason::killed);
  }
}

TEST_F(KeeperTest, EndsACommandWhoseTimeIsOver) {
  StartOptions options;
  options.timeout = 100ms;
  ASSERT_TRUE(start("a", "echo before; sleep 300", std::move(options)));
  const JobStatus status = await_end("a");
  EXPECT_EQ(status.reason, EndReason::timeout);
  EXPECT_EQ(status.exit_signal, SIGTERM);
}

TEST_F(KeeperTest, FeedsStdinThroughAPipeAndClosesIt) {
  StartOptions options;
  options.stdin_kind = Stdin::pipe;
  ASSERT_TRUE(start("a", "cat; echo end", std::move(options)));
  const std::string text(3 << 20, 'x');  // more than a pipe holds
  for (size_t at = 0; at < text.size(); at += 1 << 20) {
    ASSERT_TRUE(await([&](auto done) { return client_->write("a", text.substr(at, 1 << 20), false, {}, done); }));
  }
  ASSERT_TRUE(await([&](auto done) { return client_->write("a", "", true, {}, done); }));
  const JobStatus status = await_end("a");
  EXPECT_EQ(status.output_bytes, text.size() + 4);
  const Result<JobStatus> late = await([&](auto done) { return client_->write("a", "more", false, {}, done); });
  EXPECT_FALSE(late);
}

TEST_F(KeeperTest, TakesARepeatedWriteOnlyOnce) {
  StartOptions options;
  options.stdin_kind = Stdin::pipe;
  ASSERT_TRUE(start("a", "cat", std::move(options)));
  const auto write = [&](const char* data, bool eof, uint64_t at) {
    return await([&](auto done) { return client_->write("a", data, eof, StdinPosition{"me", at}, done); });
  };
  ASSERT_TRUE(write("one ", false, 0));
  ASSERT_TRUE(write("one ", false, 0));      // again: its answer was lost
  ASSERT_TRUE(write("one two ", false, 0));  // again, and more
  ASSERT_TRUE(await([&](auto done) { return client_->write("a", "(another) ", false, {}, done); }));
  EXPECT_FALSE(write("late", false, 100));  // a hole cannot be
  ASSERT_TRUE(write("three", true, 8));
  ASSERT_TRUE(write("three", true, 8));
  await_end("a");
  EXPECT_EQ(whole_["a"], "one two (another) three");
}

TEST_F(KeeperTest, GivesAPassedFileAsStdin) {
  StartOptions options;
  options.stdin_kind = Stdin::fd;
  options.stdin_fd = UniqueFd(::memfd_create("input", MFD_CLOEXEC));
  ASSERT_TRUE(write_all(options.stdin_fd.get(), "from a file"));
  ::lseek(options.stdin_fd.get(), 0, SEEK_SET);
  ASSERT_TRUE(start("a", "cat", std::move(options)));
  await_end("a");
  EXPECT_EQ(whole_["a"], "from a file");
}

TEST_F(KeeperTest, GivesATerminalOfTheAskedSizeAndResizesIt) {
  StartOptions options;
  options.terminal = WindowSize{33, 77};
  const Result<JobStatus> status =
      start("a", "trap 'stty size' WINCH; stty size; tty; while :; do sleep 0.05; done", std::move(options));
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->tty);
  await_output("a", "33 77\r\n/dev/pts/");
  ASSERT_TRUE(await([&](auto done) { return client_->resize("a", {11, 22}, done); }));
  await_output("a", "11 22");
}

TEST_F(KeeperTest, TakesUpItsJobsAfterTheGatewayWasGone) {
  const Result<JobStatus> before = start("a", "echo one; read -t 30 < <(sleep 30); echo two");
  ASSERT_TRUE(before);
  ASSERT_TRUE(start("b", "exit 7"));
  await_end("b");
  await_output("a", "one");
  const std::string instance = client_->instance();
  calls_.clear();
  client_.reset();
  connect();
  EXPECT_EQ(client_->instance(), instance);
  ASSERT_EQ(client_->jobs_at_connect().size(), 2u);
  EXPECT_EQ(client_->jobs_at_connect()[0].pid, before->pid);
  EXPECT_TRUE(client_->jobs_at_connect()[0].running);
  EXPECT_EQ(client_->jobs_at_connect()[1].exit_code, 7);
  EXPECT_EQ(read("a", 0).data, "one\n");
}

TEST_F(KeeperTest, LeavesNoOrphanWhenItIsKilled) {
  ASSERT_TRUE(start("a", "setsid sleep 300 & echo ready; sleep 300"));
  await_output("a", "ready");
  const pid_t supervisor = *parent_of(start("a", "")->pid);
  const std::vector<pid_t> tree = descendants_of(supervisor);
  ASSERT_GE(tree.size(), 2u);
  run_until([&] {
    const Result<std::string> written = read_file(home_.job("a") + "/output");
    return written && *written == "ready\n";
  });
  ::kill(client_->keeper_pid(), SIGKILL);
  const auto gone = [](pid_t pid) { return ::kill(pid, 0) != 0; };
  run_until([&] { return lost_ && gone(supervisor) && std::ranges::all_of(tree, gone); });
  EXPECT_EQ(LogFiles::find(home_.job("a"))->end(), 6u);  // "ready\n" was on disk
  client_.reset();
}

TEST_F(KeeperTest, CallsThatTheFirstFailureDroppedAreNotCalled) {
  ASSERT_TRUE(start("a", "sleep 300"));
  std::vector<std::string> heard;
  KeeperClient::Call second;
  const KeeperClient::Call first = client_->read("a", 0, 1, {keeper_patience}, [&](const Result<Chunk>&) {
    heard.emplace_back("first");
    second = {};
  });
  second = client_->read("a", 0, 1, {keeper_patience}, [&](const Result<Chunk>&) { heard.emplace_back("second"); });
  ::kill(client_->keeper_pid(), SIGKILL);
  run_until([&] { return lost_; });
  EXPECT_EQ(heard, std::vector<std::string>{"first"});
  client_.reset();
}

TEST_F(KeeperTest, OneThatLeavesJustWhenWeComeIsReplaced) {
  Home home;
  home.root = home_.root + "/other";
  home.runtime = home.root + "/run";
  ASSERT_TRUE(home.prepare());
  UniqueFd listener = *listen_unix(home.keeper_socket());
  std::thread leaving([&listener] {
    pollfd waiting{listener.get(), POLLIN, 0};
    ::poll(&waiting, 1, 10'000);
    listener.reset();  // and with it the connection
  });
  KeeperClient::Events events;
  events.on_lost = [](const Error&) {};
  Result<std::unique_ptr<KeeperClient>> client = KeeperClient::open(loop_, home, std::move(events));
  leaving.join();
  ASSERT_TRUE(client) << client.error().message();
  EXPECT_TRUE(await([&](auto done) { return (*client)->shut_down(done); }));
}

TEST_F(KeeperTest, KeepsWholeOutputBeyondItsMemory) {
  ASSERT_TRUE(start("a", "seq 1 200000"));
  const JobStatus status = await_end("a");
  std::string expected;
  for (int i = 1; i <= 200000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(status.output_bytes, expected.size());
  EXPECT_EQ(whole_.count("a"), 0u);
  std::string all;
  for (Chunk chunk = read("a", 0); !chunk.data.empty(); chunk = read("a", all.size())) all += chunk.data;
  EXPECT_EQ(all, expected);
}

TEST_F(KeeperTest, KillsTheOrphansOfAKilledSupervisor) {
  ASSERT_TRUE(start("a", "echo ready; sleep 300"));
  await_output("a", "ready");
  const pid_t command = start("a", "")->pid;
  ::kill(*parent_of(command), SIGKILL);
  const JobStatus status = await_end("a");
  EXPECT_EQ(status.exit_signal, SIGKILL);
  run_until([&] { return ::kill(command, 0) != 0; });
}

}  // namespace
}  // namespace talaria
