// Sandboxes in the keeper, as a real program.
#include <gmock/gmock.h>
#include <signal.h>

#include "keeper/keeper_trial.h"
#include "os/proc.h"
#include "sandbox/file_client.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class KeeperSpaceTest : public KeeperTrial {
 protected:
  void open(const std::string& space) {
    Result<SessionPlan> plan = trial_.plan();
    ASSERT_TRUE(plan) << plan.error().message();
    plan->command.argv = {"/bin/sh"};
    client_->open_space({space, plan->space, plan->command, trial_.profile, trial_.workspace});
  }

  Result<JobStatus> start_in(const std::string& space, const std::string& job, const std::string& script,
                             StartOptions options = {}) {
    options.space = space;
    return start(job, script, std::move(options));
  }

  std::string output_of(const std::string& job) {
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

  SpaceTrial trial_;
};

TEST_F(KeeperSpaceTest, CommandsOfASpaceShareItsFilesAndSeeNoOthers) {
  open("s");
  ASSERT_TRUE(start_in("s", "a", "echo hi > /tmp/word; ls " + trial_.home + " | wc -l"));
  EXPECT_EQ(output_of("a"), "0\n");
  ASSERT_TRUE(start_in("s", "b", "cat /tmp/word; ps -e -o comm= > /tmp/list; sort /tmp/list | tr '\\n' ' '"));
  EXPECT_THAT(output_of("b"), HasSubstr("hi\nbash ps "));
}

TEST_F(KeeperSpaceTest, ThePidIsTheOneOutside) {
  open("s");
  const Result<JobStatus> status = start_in("s", "a", "exec sleep 1000");
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_TRUE(descends_from(status->pid, client_->keeper_pid()));
  ASSERT_EQ(::kill(status->pid, SIGTERM), 0);
  EXPECT_EQ(await_end("a").exit_signal, SIGTERM);
}

TEST_F(KeeperSpaceTest, ATerminalIsOneOfTheSandbox) {
  open("s");
  StartOptions options;
  options.terminal = WindowSize{30, 90};
  ASSERT_TRUE(start_in("s", "a", "tty; stty size", std::move(options)));
  EXPECT_EQ(output_of("a"), "/dev/pts/0\r\n30 90\r\n");
}

TEST_F(KeeperSpaceTest, WhatConfinesIsNeverLeftOutSilently) {
  open("s");
  StartOptions unknown;
  unknown.steps = {"identity", "magic"};
  EXPECT_THAT(start_in("s", "a", "true", std::move(unknown)).error().message(), HasSubstr("\"magic\""));
  StartOptions host;
  host.steps = {"seccomp"};
  EXPECT_EQ(start("b", "true", std::move(host)).error().code(), ErrorCode::denied);
  StartOptions all;
  all.steps = {"identity", "mounts", "landlock", "seccomp", "limits", "network", "hygiene"};
  EXPECT_TRUE(start_in("s", "c", "true", std::move(all)));
}

TEST_F(KeeperSpaceTest, ASpaceThatIsNotThereIsSaid) {
  EXPECT_EQ(start_in("none", "a", "true").error().code(), ErrorCode::cancelled);
}

TEST_F(KeeperSpaceTest, WhatKeepsASandboxFromStandingIsTheAnswerToItsStarts) {
  Result<SessionPlan> plan = trial_.plan();
  ASSERT_TRUE(plan);
  plan->command.argv = {"/bin/sh"};
  plan->space.mounts.steps.push_back({.kind = MountKind::bind, .target = "/mnt", .source = trial_.root + "/missing"});
  client_->open_space({"s", plan->space, plan->command, trial_.profile, trial_.workspace});
  const Result<JobStatus> status = start_in("s", "a", "true");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), HasSubstr("step mounts"));
  run_until([&] { return spaces_gone_.contains("s"); });
  EXPECT_THAT(start_in("s", "late", "true").error().message(), HasSubstr("step mounts"));
  open("s");
  EXPECT_TRUE(start_in("s", "b", "true"));
}

TEST_F(KeeperSpaceTest, SpacesOutliveTheirClient) {
  open("s");
  ASSERT_TRUE(start_in("s", "a", "echo kept > /tmp/word"));
  (void)await_end("a");
  calls_.clear();
  client_.reset();
  connect();
  ASSERT_EQ(client_->spaces_at_connect().size(), 1u);
  EXPECT_EQ(client_->spaces_at_connect()[0].space, "s");
  open("s");  // it stays the one it is
  ASSERT_TRUE(start_in("s", "b", "cat /tmp/word"));
  EXPECT_EQ(output_of("b"), "kept\n");
}

TEST_F(KeeperSpaceTest, ClosingASpaceEndsAllInIt) {
  open("s");
  const Result<JobStatus> job = start_in("s", "a", "setsid sleep 1000 & sleep 1000");
  ASSERT_TRUE(job);
  client_->close_space("s", KeeperClient::CloseSpace::now);
  EXPECT_EQ(await_end("a").exit_signal, SIGKILL);
  run_until([&] { return gone_.contains("a") && holder() == 0; });
  EXPECT_EQ(descendants_of(client_->keeper_pid()).size(), 1u);  // the spawner
}

TEST_F(KeeperSpaceTest, ASpaceMayBeClosedWithItsLastCommand) {
  open("s");
  ASSERT_TRUE(start_in("s", "a", "read line"));
  ASSERT_TRUE(start_in("s", "b", "exec sleep 1000"));
  client_->close_space("s", KeeperClient::CloseSpace::when_unused);
  ASSERT_TRUE(await([&](auto done) { return client_->end("b", 1s, done); }));
  run_until([&] { return spaces_gone_.contains("s") && holder() == 0; });
  EXPECT_TRUE(ended_.contains("a"));
  open("t");
  client_->close_space("t", KeeperClient::CloseSpace::when_unused);  // nothing runs in it
  run_until([&] { return spaces_gone_.contains("t"); });
}

TEST_F(KeeperSpaceTest, TheDeathOfItsFirstProcessIsTold) {
  open("s");
  ASSERT_TRUE(start_in("s", "a", "sleep 1000"));
  ASSERT_EQ(::kill(holder(), SIGKILL), 0);
  EXPECT_EQ(await_end("a").exit_signal, SIGKILL);
  run_until([&] { return spaces_gone_.contains("s"); });
  EXPECT_THAT(spaces_gone_["s"], HasSubstr("died"));
}

TEST_F(KeeperSpaceTest, AManyHeadedCommandIsEndedWhole) {
  open("s");
  ASSERT_TRUE(start_in("s", "a", "trap '' TERM; for i in 1 2 3; do setsid sleep 1000 & done; echo up; wait"));
  (void)await_output("a", "up");
  const Result<JobStatus> status = await([&](auto done) { return client_->end("a", 50ms, done); });
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->gone);
  EXPECT_EQ(status->reason, EndReason::killed);
}

TEST_F(KeeperSpaceTest, MemoryOverTheLimitStopsTheCommandThatTookMost) {
  trial_.profile.limits.memory_bytes = 96 << 20;
  open("s");
  ASSERT_TRUE(start_in("s", "small", "sleep 1000"));
  ASSERT_TRUE(start_in("s", "big", "x=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep 1000"));
  const JobStatus status = await_end("big");
  EXPECT_EQ(status.reason, EndReason::limit);
  ASSERT_TRUE(status.stopped_by);
  EXPECT_EQ(status.stopped_by->limit, "memory");
  EXPECT_EQ(status.stopped_by->max, 96u << 20);
  EXPECT_GT(status.stopped_by->peak, 96u << 20);
  EXPECT_FALSE(ended_.contains("small"));
  EXPECT_EQ(job_status_from(to_json(status)), status);
}

TEST_F(KeeperSpaceTest, ProcessesOverTheLimitStopTheCommand) {
  trial_.profile.limits.processes = 20;
  Result<SessionPlan> plan = trial_.plan();
  ASSERT_TRUE(plan);
  plan->command.argv = {"/bin/sh"};
  plan->command.limits->processes = ResourceLimits::as_it_is;  // so that the watchdog is alone
  client_->open_space({"s", plan->space, plan->command, trial_.profile, trial_.workspace});
  ASSERT_TRUE(start_in("s", "a", "for i in {1..40}; do sleep 1000 & done; wait"));
  const JobStatus status = await_end("a");
  ASSERT_TRUE(status.stopped_by);
  EXPECT_EQ(status.stopped_by->limit, "processes");
}

TEST_F(KeeperSpaceTest, StartsBeyondTheLimitOfProcessesAreRefused) {
  trial_.profile.limits.processes = 10;
  open("s");
  std::vector<std::string> refused;
  for (int i = 0; i < 30; ++i) {
    const Result<JobStatus> started = start_in("s", "j" + std::to_string(i), "sleep 1000");
    if (!started) refused.push_back(started.error().message());
  }
  ASSERT_EQ(refused.size(), 20u);
  EXPECT_EQ(
      refused.front(),
      "this sandbox has 10 processes, and 10 is its limit (limits.processes of its profile); end some of its jobs "
      "first");
  EXPECT_TRUE(ended_.empty()) << "the watchdog had to stop one";
  ASSERT_TRUE(await([&](auto done) { return client_->end("j0", 1s, done); }));
  EXPECT_TRUE(start_in("s", "later", "sleep 1000"));
}

TEST_F(KeeperSpaceTest, AFileServerSeesWhatCommandsSee) {
  open("s");
  ASSERT_TRUE(start_in("s", "a", "echo inside > /tmp/note"));
  (void)await_end("a");
  std::optional<Result<UniqueFd>> socket;
  calls_.push_back(client_->files("s", [&](Result<UniqueFd> got) { socket.emplace(std::move(got)); }));
  run_until([&] { return socket.has_value(); });
  ASSERT_TRUE(*socket) << socket->error().message();
  Result<FileClient> files = FileClient::adopt(**std::move(socket));
  ASSERT_TRUE(files);
  Result<OpenedFile> note = files->open("/tmp/note", {.read = true});
  ASSERT_TRUE(note) << note.error().message();
  EXPECT_EQ(note->stat.size, 7u);
  EXPECT_FALSE(files->open(trial_.home + "/secret", {.read = true}));
}

TEST_F(KeeperSpaceTest, ProbesTheMachine) {
  std::optional<Result<Probe>> probe;
  calls_.push_back(
      client_->probe({.without = {"landlock"}}, [&](Result<Probe> found) { probe.emplace(std::move(found)); }));
  run_until([&] { return probe.has_value(); });
  ASSERT_TRUE(*probe) << probe->error().message();
  EXPECT_TRUE((*probe)->has("user_namespaces"));
  EXPECT_FALSE((*probe)->has("landlock"));
}

}  // namespace
}  // namespace talaria
