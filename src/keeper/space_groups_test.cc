// A space whose limits the kernel holds, over a tree of plain files.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "keeper/space.h"
#include "os/socket.h"
#include "sandbox/cgroup_trial.h"
#include "sandbox/space_command.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

class SpaceGroupsTest : public testing::Test {
 protected:
  SpaceGroupsTest() : spawner_(*Spawner::start()) {
    tree_ = trial_.root + "/tree";
    CHECK(make_directories(tree_ + "/service"));
    set_text(tree_ + "/cgroup.controllers", "memory pids");
    set_text(tree_ + "/service/cgroup.controllers", "memory pids");
    set_text(tree_ + "/service/cgroup.subtree_control", "");
    set_text(tree_ + "/service/cgroup.procs", own_pid);
    set_text(trial_.root + "/self", "0::/service");
    cgroups_.emplace(*Cgroups::find(tree_, trial_.root + "/self", std::make_unique<FakeKernel>(trial_.root)));
    Result<SessionPlan> plan = trial_.plan();
    CHECK(plan);
    plan->command.argv = {"/bin/sh"};
    space_.emplace(loop_, SpaceOrder{"s", plan->space, plan->command, trial_.profile.limits, trial_.workspace, true},
                   &*cgroups_, Space::Events{.on_gone = [](const Error&) {}});
  }

  void stand() {
    ASSERT_TRUE(space_->start(spawner_));
    bool stands = false;
    space_->when_it_stands([&](const Result<>& outcome) { stands = static_cast<bool>(outcome), loop_.stop(); });
    loop_.run();
    ASSERT_TRUE(stands);
  }

  // The command's wait status.
  int run(const std::string& job, const std::string& script, std::vector<NumberedFd> fds = {}) {
    auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
    CHECK(space_->prepare(mine.get()));
    SpawnOrder order;
    order.argv = {"/bin/bash", "-c", script};
    order.environment = {"PATH=/usr/bin:/bin"};
    order.cwd = "/";
    CHECK(space_->launch(job, order, std::move(theirs),
                         {*open_file("/dev/null", O_RDONLY), *open_file("/dev/null", O_WRONLY), std::move(fds)}));
    while (true) {
      const Result<CommandReport> report = receive_report(mine.get());
      CHECK(report);
      if (report->kind == CommandReport::Kind::ended) return report->value;
    }
  }

  std::string group(const std::string& rest) const { return tree_ + "/service/" + rest; }

  SpaceTrial trial_;
  std::string tree_;
  Spawner spawner_;
  Loop loop_;
  std::optional<Cgroups> cgroups_;
  std::optional<Space> space_;
};

TEST_F(SpaceGroupsTest, EachCommandJoinsAGroupOfItsSessions) {
  stand();
  const std::vector<std::string> sessions = *CgroupFiles().groups_in(tree_ + "/service");
  ASSERT_EQ(sessions.size(), 2u);  // the keeper's own, and the session's
  const std::string session = group(sessions[0] == "keeper" ? sessions[1] : sessions[0]);
  EXPECT_EQ(*read_file(session + "/memory.max"), std::to_string(trial_.profile.limits.memory_bytes) + "\n");
  EXPECT_EQ(run("job", "exit 3") >> 8, 3);
  const std::vector<std::string> commands = *CgroupFiles().groups_in(session);
  ASSERT_EQ(commands.size(), 1u);
  // The real kernel would put the pid of the writer here.
  EXPECT_EQ((*read_file(session + "/" + commands[0] + "/cgroup.procs")).substr(0, 1), "0");
  EXPECT_EQ(space_->limit_that_ended("job"), std::nullopt);
}

TEST_F(SpaceGroupsTest, DescriptorsOfACommandAreNotTakenForItsGroup) {
  stand();
  auto [reading, writing] = *make_pipe();
  auto [errors, writing_errors] = *make_pipe();
  std::vector<NumberedFd> fds;
  fds.push_back({4, std::move(writing)});
  fds.push_back({2, std::move(writing_errors)});
  EXPECT_EQ(run("job", "echo four >&4; echo two >&2; exit 3", std::move(fds)) >> 8, 3);
  char text[16] = {};
  EXPECT_EQ(::read(reading.get(), text, sizeof text - 1), 5);
  EXPECT_STREQ(text, "four\n");
  EXPECT_EQ(::read(errors.get(), text, sizeof text - 1), 4);
  const std::vector<std::string> sessions = *CgroupFiles().groups_in(tree_ + "/service");
  const std::string session = group(sessions[0] == "keeper" ? sessions[1] : sessions[0]);
  EXPECT_EQ((*read_file(session + "/" + CgroupFiles().groups_in(session)->at(0) + "/cgroup.procs")).substr(0, 1), "0");
}

TEST_F(SpaceGroupsTest, TheKernelsStopIsNamed) {
  stand();
  EXPECT_EQ(run("job", "exit 137") >> 8, 137);
  const std::vector<std::string> sessions = *CgroupFiles().groups_in(tree_ + "/service");
  const std::string session = group(sessions[0] == "keeper" ? sessions[1] : sessions[0]);
  const std::string command = session + "/" + CgroupFiles().groups_in(session)->at(0);
  for (const std::string& folder : {session, command}) {
    set_text(folder + "/memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 1");
    set_text(folder + "/memory.peak", "4294967296");
  }
  const std::optional<LimitStop> stop = space_->limit_that_ended("job");
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->limit, "memory");
  EXPECT_EQ(stop->max, trial_.profile.limits.memory_bytes);
}

}  // namespace
}  // namespace talaria
