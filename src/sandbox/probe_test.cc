#include "sandbox/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/proc.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

SPACE_TEST(ProbeTest, FindsWhatTheSandboxTestsNeed) {
  const auto start = Clock::now();
  const Probe probe = probe_machine();
  std::cout << std::chrono::duration<double, std::milli>(Clock::now() - start).count() << " ms" << std::endl;
  for (const char* name : {"user_namespaces", "namespaces", "mounts", "proc", "loopback", "devpts",
                           "command_namespaces", "owner_mapping", "landlock", "seccomp"}) {
    EXPECT_TRUE(probe.has(name)) << name << ": " << probe.of(name).detail;
    EXPECT_EQ(probe.of(name).fix, "");
  }
  EXPECT_TRUE(require(probe, ProfileKind::workspace_write));
  EXPECT_EQ(descendants_of(::getpid()), std::vector<pid_t>());
}

TEST(ProbeTest, RefusesConfinedProfilesWithoutUserNamespaces) {
  const Probe probe = probe_machine({.without = {"user_namespaces"}});
  EXPECT_THAT(probe.missing(), testing::IsSupersetOf({"user_namespaces", "namespaces", "mounts", "proc", "loopback"}));
  for (ProfileKind kind : {ProfileKind::read_only, ProfileKind::workspace_write}) {
    EXPECT_THAT(require(probe, kind).error().message(),
                testing::AllOf(HasSubstr(std::string(name_of(kind)) + " needs user_namespaces"), HasSubstr("Fix: ")));
  }
  EXPECT_EQ(static_cast<bool>(require(probe, ProfileKind::full)), ::geteuid() == 0);
}

TEST(ProbeTest, GoesOnWithoutWhatIsNotEssentialAndNamesIt) {
  for (const char* name : {"proc", "loopback", "landlock", "cgroups"}) {
    const Probe probe = probe_machine({.without = {name}});
    EXPECT_THAT(probe.missing(), Contains(name));
    EXPECT_NE(probe.of(name).detail, "");
    EXPECT_TRUE(require(probe, ProfileKind::workspace_write));
  }
  EXPECT_FALSE(space_limits(probe_machine({.without = {"loopback"}})).loopback);
  EXPECT_EQ(space_limits(probe_machine({.without = {"landlock"}})).landlock_abi, 0);
  EXPECT_EQ(space_limits(probe_machine({.newest_landlock = 3})).landlock_abi, 3);
}

TEST(ProbeTest, ReadsTheControllersOfItsOwnCgroup) {
  SpaceTrial trial;
  const std::string root = trial.root + "/cgroup";
  ASSERT_TRUE(make_directories(root + "/user/me"));
  ASSERT_TRUE(write_file_atomically(trial.root + "/self", "1:cpu:/x\n0::/user/me\n"));
  const auto probe = [&] {
    return probe_machine({.cgroup_root = root, .own_cgroup = trial.root + "/self"}).of("cgroups");
  };
  EXPECT_EQ(probe().detail, "there is no cgroup v2 tree in " + root);
  ASSERT_TRUE(write_file_atomically(root + "/cgroup.controllers", "cpu memory pids\n"));
  ASSERT_TRUE(write_file_atomically(root + "/user/me/cgroup.controllers", "cpu pids\n"));
  EXPECT_EQ(probe().detail, root + "/user/me has no controller for memory");
  EXPECT_THAT(probe().fix, HasSubstr("Delegate=yes"));
  ASSERT_TRUE(write_file_atomically(root + "/user/me/cgroup.controllers", "cpu io memory pids\n"));
  EXPECT_EQ(probe().detail, root + "/user/me is not delegated to us");
  ASSERT_TRUE(write_file_atomically(root + "/user/me/cgroup.procs", ""));
  EXPECT_EQ(probe(), (Capability{"cgroups", true, root + "/user/me", ""}));
}

TEST(ProbeTest, SaysWhereOwnersCannotBeMapped) {
  if (::geteuid() != 0) return;  // others never need it
  const Capability found = probe_machine({.workspace = "/proc"}).of("owner_mapping");
  EXPECT_FALSE(found.ok);
  EXPECT_THAT(found.detail, HasSubstr("/proc: map the owners of a mount"));
  EXPECT_THAT(found.fix, HasSubstr("sandbox.root_identity: same"));
}

TEST(ProbeTest, BecomesJsonForDoctor) {
  const Probe probe = probe_machine({.without = {"landlock"}});
  EXPECT_EQ(*probe_from_json(to_json(probe)), probe);
  const JsonArray list = to_json(probe).at("capabilities").as_array();
  EXPECT_EQ(list.size(), 11u);
  EXPECT_EQ(list[0].as_object().at("name"), "user_namespaces");
}

}  // namespace
}  // namespace talaria
