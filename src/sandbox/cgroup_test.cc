#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>

#include "sandbox/cgroup_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Limits limits{.processes = 512, .memory_bytes = 4096};

// A machine on which a service was given the group /service with two processes in it: ourselves and another one.
class CgroupTest : public testing::Test {
 public:
  CgroupTest() {
    char pattern[] = "/tmp/talaria-cgroup-XXXXXX";
    CHECK(::mkdtemp(pattern));
    folder_ = pattern;
    root = folder_ + "/tree";
    own = folder_ + "/self";
    service = root + "/service";
    CHECK(make_directories(service));
    set_text(root + "/cgroup.controllers", "cpu io memory pids");
    set_text(service + "/cgroup.controllers", "cpu memory pids");
    set_text(service + "/cgroup.subtree_control", "");
    set_text(service + "/cgroup.procs", own_pid);
    set_text(own, "5:memory:/elsewhere\n0::/service");
  }
  ~CgroupTest() override { (void)remove_tree(folder_); }

  Result<Cgroups> find(std::map<std::string, int> failures = {}, bool marked = false) {
    auto files = std::make_unique<FakeKernel>(folder_);
    kernel = files.get();
    kernel->failures = std::move(failures);
    kernel->marked = marked;
    return Cgroups::find(root, own, std::move(files));
  }
  std::string problem() { return find().error().message(); }
  std::string text(const std::string& path) const { return std::string(trim(*read_file(service + "/" + path))); }
  std::vector<std::string> members(const std::string& path) const {
    return words_of(service + "/" + path + "/cgroup.procs", '\n');
  }
  std::vector<std::string> groups() const { return *CgroupFiles().groups_in(service); }

  std::string root, own, service;
  FakeKernel* kernel = nullptr;

 private:
  std::string folder_;
};

TEST_F(CgroupTest, SettlesInALeafAndHandsControllersDown) {
  Result<Cgroups> found = find();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->path(), service);
  EXPECT_THAT(members("."), IsEmpty());
  EXPECT_THAT(members("keeper"), ElementsAre(own_pid));
  EXPECT_EQ(text("cgroup.subtree_control"), "memory pids cpu");
}

TEST_F(CgroupTest, FindsTheTreeBesideOnesOfVersionOne) {
  const std::string above = root.substr(0, root.rfind('/'));
  ASSERT_EQ(::rename(root.c_str(), (above + "/unified").c_str()), 0);
  root = above;
  service = above + "/unified/service";
  EXPECT_EQ(find()->path(), service);
}

TEST_F(CgroupTest, GoesWithoutTheControllerForProcessors) {
  set_text(service + "/cgroup.controllers", "memory pids");
  Result<Cgroups> found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(text("cgroup.subtree_control"), "memory pids");
  EXPECT_TRUE(found->make_session("a", limits));
}

TEST_F(CgroupTest, SaysWhyThereIsNothingToBeHad) {
  set_text(service + "/cgroup.controllers", "cpu");
  EXPECT_EQ(problem(), service + " has no controller for memory and pids");
  set_text(service + "/cgroup.controllers", "cpu memory");
  EXPECT_EQ(problem(), service + " has no controller for pids");
  set_text(own, "0::/../../other");
  EXPECT_EQ(problem(), "our own cgroup lies outside of the tree that we can see");
  set_text(own, "3:memory:/");
  EXPECT_EQ(problem(), own + " names no cgroup of version 2");
  set_text(own, "0::/absent");
  EXPECT_THAT(problem(), HasSubstr("/absent/cgroup.controllers: No such file or directory"));
  ASSERT_TRUE(remove_tree(own));
  EXPECT_THAT(problem(), HasSubstr("No such file or directory"));
  ASSERT_TRUE(remove_tree(root + "/cgroup.controllers"));
  EXPECT_EQ(problem(), "there is no cgroup v2 tree in " + root);
  EXPECT_THAT(members("."), ElementsAre(own_pid));
  EXPECT_THAT(groups(), IsEmpty());
}

TEST_F(CgroupTest, LeavesAllAsItWasWhereItIsNotDelegated) {
  const std::map<std::string, std::string> expected = {
      {"/keeper", "use " + service + "/keeper: Permission denied"},
      {"/keeper/cgroup.procs", "use " + service + "/keeper/cgroup.procs: Permission denied"},
      {"/service/cgroup.subtree_control", "use " + service + "/cgroup.subtree_control: Permission denied"}};
  for (const auto& [path, message] : expected) {
    EXPECT_EQ(find({{path, EACCES}}).error().message(), service + " is not delegated to us: " + message);
    EXPECT_THAT(members("."), ElementsAre(own_pid)) << path;
    EXPECT_THAT(groups(), IsEmpty()) << path;
  }
}

TEST_F(CgroupTest, LeavesStrangersWhereTheyAre) {
  set_text(service + "/cgroup.procs", "7\n100");
  EXPECT_EQ(problem(), service + " is not delegated to us: other processes live in it, too");
  EXPECT_THAT(members("."), ElementsAre("7", own_pid));
  EXPECT_THAT(groups(), IsEmpty());
}

TEST_F(CgroupTest, TakesItsServiceAlongWhenTheWholeGroupIsGivenToIt) {
  set_text(service + "/cgroup.procs", "7\n666\n100");
  Result<Cgroups> found = find({}, true);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_THAT(members("."), IsEmpty());
  EXPECT_THAT(members("keeper"), ElementsAre(own_pid, "7"));
}

TEST_F(CgroupTest, IsAtHomeInTheLeafOfAnEarlierKeeper) {
  (void)find();
  set_text(own, "0::/service/keeper");
  Result<Cgroups> found = find();
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->path(), service);
  EXPECT_THAT(groups(), ElementsAre("keeper"));
}

TEST_F(CgroupTest, TakesNoOtherGroupForThatLeaf) {
  ASSERT_TRUE(find());
  set_text(service + "/cgroup.subtree_control", "");
  set_text(service + "/keeper/cgroup.controllers", "memory pids");
  set_text(own, "0::/service/keeper");
  EXPECT_EQ(find()->path(), service + "/keeper");
}

TEST_F(CgroupTest, GivesASessionItsLimits) {
  Cgroups cgroups = *find();
  ASSERT_TRUE(cgroups.make_session("a", limits));
  EXPECT_EQ(text("session-a/memory.max"), "4096");
  EXPECT_EQ(text("session-a/memory.swap.max"), "0");
  EXPECT_EQ(text("session-a/pids.max"), "512");
  EXPECT_EQ(text("session-a/cpu.weight"), "100");
  EXPECT_EQ(text("session-a/cgroup.subtree_control"), "memory pids");
  ASSERT_TRUE(cgroups.make_session("a", {.processes = 3}));
  EXPECT_EQ(text("session-a/memory.max"), "max");
  EXPECT_EQ(text("session-a/memory.swap.max"), "max");
  EXPECT_EQ(text("session-a/pids.max"), "3");
}

TEST_F(CgroupTest, DoesWithoutFilesThatOnlySomeKernelsHave) {
  Cgroups cgroups = *find();
  kernel->failures = {{"memory.swap.max", ENOENT}, {"cpu.weight", ENOENT}};
  EXPECT_TRUE(cgroups.make_session("a", limits));
}

TEST_F(CgroupTest, MakesNoSessionWithoutItsLimits) {
  for (const std::string file :
       {"/memory.max", "/memory.swap.max", "/pids.max", "/cpu.weight", "/session-a/cgroup.subtree_control"}) {
    Cgroups cgroups = *find();
    kernel->failures = {{file, EROFS}};
    EXPECT_THAT(cgroups.make_session("a", limits).error().message(), HasSubstr(file + ": Read-only file system"));
    EXPECT_THAT(groups(), ElementsAre("keeper")) << file;
    set_text(own, "0::/service/keeper");
  }
  Cgroups cgroups = *find();
  kernel->failures = {{"/memory.max", ENOENT}};
  EXPECT_THAT(cgroups.make_session("a", limits).error().message(), HasSubstr("No such file"));
  kernel->failures = {{"/session-a", ENOSPC}};
  EXPECT_THAT(cgroups.make_session("a", limits).error().message(), HasSubstr("No space left"));
}

TEST_F(CgroupTest, GivesACommandALeafThatItsInitCanJoin) {
  Cgroups cgroups = *find();
  ASSERT_TRUE(cgroups.make_session("a", limits));
  const CommandGroup group = *cgroups.make_command("a", "7");
  EXPECT_EQ(group.path, service + "/session-a/job-7");
  EXPECT_EQ(text("session-a/job-7/memory.oom.group"), "1");
  EXPECT_EQ(text("session-a/job-7/pids.max"), "512");
  EXPECT_EQ(::fcntl(group.procs.get(), F_GETFL) & O_ACCMODE, O_WRONLY);
  EXPECT_EQ(::fcntl(group.procs.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  ASSERT_EQ(::write(group.procs.get(), "0", 1), 1);
  EXPECT_EQ(*read_file(group.path + "/cgroup.procs"), "0");
}

TEST_F(CgroupTest, MakesNoHalfCommand) {
  Cgroups cgroups = *find();
  ASSERT_TRUE(cgroups.make_session("a", limits));
  for (const std::string file : {"/memory.oom.group", "/job-7/cgroup.procs", "/job-7/pids.max"}) {
    kernel->failures = {{file, EACCES}};
    EXPECT_THAT(cgroups.make_command("a", "7").error().message(), HasSubstr(file + ": Permission denied"));
    EXPECT_FALSE(exists(service + "/session-a/job-7")) << file;
  }
  kernel->failures = {};
  EXPECT_THAT(cgroups.make_command("unknown", "7").error().message(), HasSubstr("No such file"));
}

TEST_F(CgroupTest, TakesNoNameThatLeadsElsewhere) {
  Cgroups cgroups = *find();
  EXPECT_FALSE(cgroups.make_session("../x", limits));
  EXPECT_FALSE(cgroups.make_session("", limits));
  ASSERT_TRUE(cgroups.make_session("a", limits));
  EXPECT_FALSE(cgroups.make_command("a", "x/y"));
  EXPECT_FALSE(cgroups.make_command("a/b", "x"));
}

class CgroupStopTest : public CgroupTest {
 public:
  CgroupStopTest() : cgroups(*find()) {
    CHECK(cgroups.make_session("a", limits));
    group = *cgroups.make_command("a", "7");
  }
  void session(const std::string& file, const std::string& content) { set_text(group.session + "/" + file, content); }
  void command(const std::string& file, const std::string& content) { set_text(group.path + "/" + file, content); }

  Cgroups cgroups;
  CommandGroup group;
};

TEST_F(CgroupStopTest, NamesNoLimitThatWasNotMet) {
  EXPECT_EQ(cgroups.stopped_by(group), std::nullopt);
  ASSERT_TRUE(remove_tree(group.path));
  EXPECT_EQ(cgroups.stopped_by(group), std::nullopt);
}

TEST_F(CgroupStopTest, NamesTheMemoryThatKilledIt) {
  session("memory.events", "max 9\noom 1\noom_kill 3\noom_group_kill 1");
  session("memory.peak", "4100");
  command("memory.events", "oom 0\noom_kill 3");
  EXPECT_EQ(cgroups.stopped_by(group), (LimitStop{"memory", 4096, 4100}));
  command("memory.events", "oom 0\noom_kill 0\noom_group_kill 1");
  EXPECT_EQ(cgroups.stopped_by(group), (LimitStop{"memory", 4096, 4100}));
}

TEST_F(CgroupStopTest, TakesTheLimitForThePeakWhereTheKernelKeepsNone) {
  session("memory.events", "oom 1");
  command("memory.events", "oom_kill 1");
  ASSERT_TRUE(remove_tree(group.session + "/memory.peak"));
  EXPECT_EQ(cgroups.stopped_by(group), (LimitStop{"memory", 4096, 4096}));
}

TEST_F(CgroupStopTest, BlamesNoLimitWhenTheMachineRanOut) {
  command("memory.events", "oom 0\noom_kill 1");
  EXPECT_EQ(cgroups.stopped_by(group), std::nullopt);
  session("memory.events", "oom 1\noom_kill 2");
  const CommandGroup later = *cgroups.make_command("a", "8");
  set_text(later.path + "/memory.events", "oom_kill 1");
  EXPECT_EQ(cgroups.stopped_by(later), std::nullopt);  // it was another command that met the limit
}

TEST_F(CgroupStopTest, NamesTheProcessesWhereverTheKernelCountsThem) {
  session("pids.peak", "512");
  command("pids.events", "max 4");
  EXPECT_EQ(cgroups.stopped_by(group), (LimitStop{"processes", 512, 512}));
  command("pids.events", "max 0");
  session("pids.events", "max 2");
  EXPECT_EQ(cgroups.stopped_by(group), (LimitStop{"processes", 512, 512}));
  const CommandGroup later = *cgroups.make_command("a", "8");
  EXPECT_EQ(cgroups.stopped_by(later), std::nullopt);
}

TEST_F(CgroupStopTest, NamesMemoryFirst) {
  session("memory.events", "oom 1");
  command("memory.events", "oom_kill 1");
  command("pids.events", "max 4");
  EXPECT_EQ(cgroups.stopped_by(group)->limit, "memory");
}

TEST_F(CgroupStopTest, NamesNoLimitThatIsNone) {
  session("memory.max", "max");
  session("memory.events", "oom 1");
  command("memory.events", "oom_kill 1");
  EXPECT_EQ(cgroups.stopped_by(group), std::nullopt);
}

TEST_F(CgroupStopTest, RemovesGroupsAndClosesThem) {
  const std::string path = group.path;
  cgroups.remove_command(std::move(group));
  EXPECT_FALSE(exists(path));
  cgroups.remove_session("a");
  EXPECT_THAT(groups(), ElementsAre("keeper"));
  cgroups.remove_session("a");  // gone is gone
  EXPECT_EQ(cgroups.waiting_removals(), 0u);
}

TEST_F(CgroupStopTest, RemovesWhatIsBusyOnTheNextOccasion) {
  const std::string path = group.path;
  set_text(path + "/cgroup.procs", "42");
  cgroups.remove_command(std::move(group));
  cgroups.remove_session("a");
  EXPECT_TRUE(exists(path));
  EXPECT_EQ(cgroups.waiting_removals(), 2u);
  cgroups.retry_removals();
  EXPECT_EQ(cgroups.waiting_removals(), 2u);
  set_text(path + "/cgroup.procs", "");
  ASSERT_TRUE(cgroups.make_session("b", limits));
  EXPECT_EQ(cgroups.waiting_removals(), 0u);
  EXPECT_THAT(groups(), ElementsAre("keeper", "session-b"));
}

TEST_F(CgroupStopTest, GivesUpOnWhatCannotBeRemoved) {
  kernel->failures = {{"/job-7", EPERM}};
  cgroups.remove_command(std::move(group));
  EXPECT_EQ(cgroups.waiting_removals(), 0u);
}

TEST_F(CgroupStopTest, KeepsASessionThatIsWantedAgain) {
  set_text(group.path + "/cgroup.procs", "42");
  cgroups.remove_session("a");
  ASSERT_TRUE(cgroups.make_session("a", limits));
  set_text(group.path + "/cgroup.procs", "");
  cgroups.remove_command(std::move(group));
  EXPECT_THAT(groups(), ElementsAre("keeper", "session-a"));
}

TEST_F(CgroupStopTest, SweepsWhatAnEarlierKeeperLeftButNothingThatLives) {
  ASSERT_TRUE(cgroups.make_session("living", limits));
  const CommandGroup living = *cgroups.make_command("living", "1");
  set_text(living.path + "/cgroup.procs", "42");
  ASSERT_TRUE(kernel->make_group(service + "/other"));
  set_text(own, "0::/service/keeper");
  ASSERT_TRUE(find());
  EXPECT_THAT(groups(), ElementsAre("keeper", "other", "session-living"));
}

TEST_F(CgroupTest, UsesFilesAsTheyAre) {
  CgroupFiles files;
  EXPECT_EQ(files.write(service + "/memory.max", "1").error().number(), ENOENT);
  EXPECT_FALSE(exists(service + "/memory.max"));
  EXPECT_EQ(files.open_to_write(service).error().number(), EISDIR);
  EXPECT_TRUE(files.write(service + "/cgroup.procs", "0"));
  EXPECT_EQ(*files.read(service + "/cgroup.procs"), "000\n");  // written once, at the start, nothing cut off
  EXPECT_TRUE(files.make_group(service + "/a"));
  EXPECT_TRUE(files.make_group(service + "/a"));
  EXPECT_EQ(files.make_group(service + "/b/c").error().number(), ENOENT);
  EXPECT_THAT(*files.groups_in(service), ElementsAre("a"));
  EXPECT_TRUE(files.remove_group(service + "/a"));
  EXPECT_EQ(files.remove_group(service + "/a").error().number(), ENOENT);
  EXPECT_FALSE(files.groups_in(service + "/a"));
}

}  // namespace
}  // namespace talaria
