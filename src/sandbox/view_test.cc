#include "sandbox/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace talaria {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

ViewFacts facts() {
  ViewFacts facts;
  facts.workspace = "/home/a/project";
  facts.home = "/home/a";
  facts.homes = {"/data/b", "/home/a", "/root"};
  facts.own_home = "/home/a/.talaria";
  facts.own_runtime = "/run/user/1000/talaria";
  facts.uid = 1000;
  return facts;
}

View plan(ProfileKind kind = ProfileKind::workspace_write, const ViewFacts& of = facts()) {
  return *plan_view(built_in_profile(kind), of);
}

std::vector<std::string> targets(const View& view, MountKind kind) {
  std::vector<std::string> found;
  for (const MountStep& step : view.mounts.steps) {
    if (step.kind == kind) found.push_back(step.target);
  }
  return found;
}

// The place of a step in the order, or -1.
int place_of(const View& view, MountKind kind, const std::string& target) {
  for (size_t i = 0; i < view.mounts.steps.size(); ++i) {
    if (view.mounts.steps[i].kind == kind && view.mounts.steps[i].target == target) return static_cast<int>(i);
  }
  return -1;
}

const MountStep& step_of(const View& view, MountKind kind, const std::string& target) {
  return view.mounts.steps.at(static_cast<size_t>(place_of(view, kind, target)));
}

TEST(ViewTest, HidesHomesRuntimeAndContainerState) {
  const View view = plan();
  EXPECT_TRUE(view.mounts.read_only_root);
  const std::vector<std::string> hidden = targets(view, MountKind::hide);
  EXPECT_THAT(hidden, IsSupersetOf({"/home", "/root", "/data/b", "/run", "/var/run", "/mnt", "/media",
                                    "/var/lib/docker", "/home/a/.talaria", "/run/user/1000/talaria"}));
  EXPECT_THAT(hidden, Not(Contains("/home/a")));  // inside /home already, and the private home comes there
}

TEST(ViewTest, HidesFromRootWhatOnlyRootMayRead) {
  ViewFacts of = facts();
  EXPECT_THAT(targets(plan(ProfileKind::workspace_write, of), MountKind::hide), Not(Contains("/etc/shadow")));
  of.uid = 0;
  EXPECT_THAT(targets(plan(ProfileKind::workspace_write, of), MountKind::hide),
              IsSupersetOf({"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private"}));
  EXPECT_THAT(targets(plan(ProfileKind::full, of), MountKind::hide), Not(Contains("/etc/shadow")));
}

TEST(ViewTest, LaysThePrivateOverTheHiddenAndTheWorkspaceOverThat) {
  const View view = plan();
  const int hidden = place_of(view, MountKind::hide, "/home");
  const int home = place_of(view, MountKind::tmpfs, "/home/a");
  const int workspace = place_of(view, MountKind::bind, "/home/a/project");
  const int ourselves = place_of(view, MountKind::hide, "/home/a/.talaria");
  EXPECT_TRUE(0 <= hidden && hidden < home && home < workspace && workspace < ourselves);
  EXPECT_TRUE(step_of(view, MountKind::bind, "/home/a/project").writable);
  EXPECT_EQ(step_of(view, MountKind::tmpfs, "/home/a").mode, 0700u);
  EXPECT_EQ(view.environment.at("HOME"), "/home/a");
  EXPECT_EQ(view.environment.at("XDG_RUNTIME_DIR"), "/run/user/1000");
  EXPECT_THAT(view.writable, IsSupersetOf({"/tmp", "/home/a", "/dev/shm", "/home/a/project"}));
}

TEST(ViewTest, GivesTmpTheProfilesLimits) {
  const View view = plan(ProfileKind::read_only);
  const MountStep& tmp = step_of(view, MountKind::tmpfs, "/tmp");
  EXPECT_EQ(tmp.bytes, uint64_t{256} << 20);
  EXPECT_EQ(tmp.inodes, 65'536u);
  EXPECT_EQ(tmp.mode, 01777u);
  EXPECT_EQ(step_of(view, MountKind::tmpfs, "/dev/shm").bytes, uint64_t{64} << 20);
  EXPECT_TRUE(step_of(view, MountKind::tmpfs, "/dev").sealed);
}

TEST(ViewTest, WritesNoWorkspaceUnderReadOnly) {
  Profile profile = built_in_profile(ProfileKind::read_only);
  profile.writable = {"/out"};
  ViewFacts of = facts();
  of.protected_paths.read_only = {"/home/a/project/.envrc"};
  const View view = *plan_view(profile, of);
  EXPECT_FALSE(view.workspace_writable);
  EXPECT_FALSE(step_of(view, MountKind::bind, "/home/a/project").writable);
  EXPECT_FALSE(step_of(view, MountKind::bind, "/out").writable);
  EXPECT_EQ(place_of(view, MountKind::mirror, "/home/a/project/.envrc"), -1);
  EXPECT_THAT(view.writable, Not(Contains("/home/a/project")));
}

TEST(ViewTest, ProtectsNamesInsideTheWorkspace) {
  ViewFacts of = facts();
  of.protected_paths.pinned = {"/home/a/project/.git"};
  of.protected_paths.read_only = {"/home/a/project/.git/hooks"};
  const View view = plan(ProfileKind::workspace_write, of);
  const int pinned = place_of(view, MountKind::mirror, "/home/a/project/.git");
  const int hooks = place_of(view, MountKind::mirror, "/home/a/project/.git/hooks");
  EXPECT_TRUE(place_of(view, MountKind::bind, "/home/a/project") < pinned && pinned < hooks);
  EXPECT_TRUE(view.mounts.steps.at(static_cast<size_t>(pinned)).writable);
  EXPECT_FALSE(view.mounts.steps.at(static_cast<size_t>(hooks)).writable);
}

TEST(ViewTest, OpensNoRootHomeOrSystemDirectoryAsAWorkspace) {
  for (const std::string workspace : {"/", "/home", "/home/a", "/data/b", "/data", "/etc", "/tmp"}) {
    ViewFacts of = facts();
    of.workspace = workspace;
    const View view = plan(ProfileKind::workspace_write, of);
    EXPECT_FALSE(view.workspace_writable) << workspace;
    EXPECT_EQ(place_of(view, MountKind::bind, workspace), -1) << workspace;
    EXPECT_THAT(view.notes, ElementsAre(HasSubstr("Start the session in a project directory"))) << workspace;
  }
}

TEST(ViewTest, RefusesAWorkspaceInsideOurselvesOrTheKernel) {
  for (const std::string workspace : {"/home/a/.talaria/x", "/home/a/.talaria", "/proc/1", "/sys", "/dev/shm"}) {
    ViewFacts of = facts();
    of.workspace = workspace;
    EXPECT_FALSE(plan_view(built_in_profile(ProfileKind::workspace_write), of)) << workspace;
  }
}

TEST(ViewTest, ShowsOuterPathsFirstAndNothingTwice) {
  Profile profile = built_in_profile(ProfileKind::workspace_write);
  profile.readable = {"/home/a/project/inside", "/srv/data"};
  profile.writable = {"/srv/data/out", "/srv"};
  ViewFacts of = facts();
  of.toolchains = {{"/home/a/.pyenv", "/home/a/.pyenv"}, {"/home/a/tool", "/opt/tool"}};
  of.credentials = {"/home/a/.pyenv/.netrc"};
  const View view = *plan_view(profile, of);
  EXPECT_THAT(targets(view, MountKind::bind), ElementsAre("/home/a/.pyenv", "/home/a/project", "/home/a/tool", "/srv"));
  EXPECT_EQ(step_of(view, MountKind::bind, "/home/a/tool").source, "/opt/tool");
  EXPECT_GT(place_of(view, MountKind::hide, "/home/a/.pyenv/.netrc"),
            place_of(view, MountKind::bind, "/home/a/.pyenv"));
}

TEST(ViewTest, OpensAWritablePathInsideAReadableOne) {
  Profile profile = built_in_profile(ProfileKind::workspace_write);
  profile.readable = {"/srv"};
  profile.writable = {"/srv/out"};
  const View view = *plan_view(profile, facts());
  EXPECT_TRUE(step_of(view, MountKind::bind, "/srv/out").writable);
  EXPECT_LT(place_of(view, MountKind::bind, "/srv"), place_of(view, MountKind::bind, "/srv/out"));
}

TEST(ViewTest, ClosesWhatIsMountedInTheWorkspace) {
  ViewFacts of = facts();
  of.inner_mounts = {"/home/a/project/disk", "/home/a/project/open"};
  Profile profile = built_in_profile(ProfileKind::workspace_write);
  profile.writable = {"/home/a/project/open", "/home/a/project/plain", "/srv"};
  const View view = *plan_view(profile, of);
  EXPECT_EQ(view.closed_mounts, std::vector<std::string>{"/home/a/project/disk"});
  EXPECT_THAT(targets(view, MountKind::bind), ElementsAre("/home/a/project", "/home/a/project/open", "/srv"));
  EXPECT_EQ(step_of(view, MountKind::bind, "/home/a/project").inner, InnerMounts::read_only);
  EXPECT_EQ(step_of(view, MountKind::bind, "/home/a/project/open").inner, InnerMounts::as_the_bind);
  EXPECT_EQ(step_of(view, MountKind::bind, "/srv").inner, InnerMounts::as_the_bind);
}

TEST(ViewTest, OpensWhatIsMountedInAListedFolder) {
  ViewFacts of = facts();
  of.inner_mounts = {"/home/a/project/disk"};
  for (const std::string listed : {"/home/a/project", "/home/a/project/disk", "/home/a"}) {
    Profile profile = built_in_profile(ProfileKind::workspace_write);
    profile.writable = {listed};
    EXPECT_THAT(plan_view(profile, of)->closed_mounts, testing::IsEmpty()) << listed;
  }
  Profile profile = built_in_profile(ProfileKind::workspace_write);
  profile.writable = {"/home/a/project/disk/deep"};  // that one alone
  const View view = *plan_view(profile, of);
  EXPECT_EQ(view.closed_mounts, of.inner_mounts);
  EXPECT_TRUE(step_of(view, MountKind::bind, "/home/a/project/disk/deep").writable);
  EXPECT_THAT(plan(ProfileKind::read_only, of).closed_mounts, testing::IsEmpty());  // all of it is read-only
}

TEST(ViewTest, MapsOwnersOfAllItShowsToAUserTheMachineDoesNotKnow) {
  ViewFacts of = facts();
  of.mapped_owners = true;
  of.uid = 64000;
  of.passwd = "root:x:0:0::/root:/bin/sh\n";
  of.closed = {"/srv/closed"};
  of.shown = {"/home/a/.talaria/skills/x"};
  const View view = plan(ProfileKind::workspace_write, of);
  EXPECT_EQ(step_of(view, MountKind::bind, "/home/a/project").owners, Owners::mapped);
  EXPECT_EQ(step_of(view, MountKind::bind, "/home/a/.talaria/skills/x").owners, Owners::mapped_if_possible);
  EXPECT_EQ(step_of(view, MountKind::file, "/run/accounts/passwd").source,
            "root:x:0:0::/root:/bin/sh\nsandbox:x:64000:64000::/home/a:/bin/sh\n");
  EXPECT_THAT(targets(view, MountKind::hide), Contains("/srv/closed"));
}

// Its own place may lie in a private home, where what is above it can be moved aside.
TEST(ViewTest, ShowsTheLibraryWhereNothingAboveItCanBeWritten) {
  ViewFacts of = facts();
  of.library = "/home/a/.local/lib/talaria";
  for (const ProfileKind kind : {ProfileKind::workspace_write, ProfileKind::read_only}) {
    const View view = plan(kind, of);
    EXPECT_EQ(view.library, "/run/talaria/lib");
    EXPECT_EQ(step_of(view, MountKind::bind, view.library).source, of.library);
    EXPECT_FALSE(step_of(view, MountKind::bind, view.library).writable);
    EXPECT_EQ(place_of(view, MountKind::bind, of.library), -1);
    EXPECT_LT(place_of(view, MountKind::hide, "/run"), place_of(view, MountKind::bind, view.library));
  }
  EXPECT_EQ(plan(ProfileKind::full, of).library, of.library);
  Profile profile = built_in_profile(ProfileKind::workspace_write);
  profile.writable = {"/run"};
  EXPECT_EQ(plan_view(profile, of)->library, of.library);  // not a base then, but it is there
  EXPECT_EQ(plan().library, "");
}

TEST(ViewTest, OpensTheResolverOnlyWithTheNetwork) {
  ViewFacts of = facts();
  of.resolver_file = "/run/systemd/resolve/stub-resolv.conf";
  Profile profile = built_in_profile(ProfileKind::workspace_write);
  EXPECT_EQ(place_of(*plan_view(profile, of), MountKind::bind, "/run/systemd/resolve"), -1);
  profile.network = NetworkMode::on;
  EXPECT_GT(place_of(*plan_view(profile, of), MountKind::bind, "/run/systemd/resolve"), 0);
}

TEST(ViewTest, WithoutANetworkNamesAreLookedUpInFilesOfOurs) {
  ViewFacts of = facts();
  of.resolver_file = "/etc/resolv.conf";
  of.name_switch = "hosts: files dns\n";
  const View view = plan(ProfileKind::workspace_write, of);
  EXPECT_THAT(targets(view, MountKind::file),
              IsSupersetOf({"/run/resolver/resolv.conf", "/run/resolver/nsswitch.conf"}));
  EXPECT_THAT(targets(view, MountKind::mirror), IsSupersetOf({"/etc/resolv.conf", "/etc/nsswitch.conf"}));
  of.resolver_file = "/run/systemd/resolve/stub-resolv.conf";
  EXPECT_THAT(targets(plan(ProfileKind::workspace_write, of), MountKind::file), Contains(of.resolver_file));
  Profile profile = built_in_profile(ProfileKind::workspace_write);
  profile.network = NetworkMode::on;
  EXPECT_EQ(place_of(*plan_view(profile, of), MountKind::mirror, "/etc/nsswitch.conf"), -1);
}

TEST(ViewTest, HidesOnlyOurselvesUnderFull) {
  const View view = plan(ProfileKind::full);
  EXPECT_FALSE(view.mounts.read_only_root);
  EXPECT_THAT(targets(view, MountKind::hide), ElementsAre("/home/a/.talaria", "/run/user/1000/talaria"));
  EXPECT_EQ(view.mounts.steps.size(), 3u);
}

TEST(ViewTest, SurvivesJson) {
  ViewFacts of = facts();
  of.mapped_owners = true;
  of.passwd = "x\n";
  const MountPlan mounts = plan(ProfileKind::workspace_write, of).mounts;
  EXPECT_EQ(*mount_plan_from_json(*parse_json_object(write_json(to_json(mounts)))), mounts);
  EXPECT_THAT(
      mount_plan_from_json(*parse_json_object(R"({"steps": [{"kind": "x", "target": "/"}]})")).error().message(),
      HasSubstr("unknown mount step kind \"x\""));
  EXPECT_FALSE(mount_plan_from_json(*parse_json_object(R"({"steps": [{"kind": "bind", "target": "x"}]})")));
}

}  // namespace
}  // namespace talaria
