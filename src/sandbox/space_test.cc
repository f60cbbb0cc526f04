#include "sandbox/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sandbox/space_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

struct stat status_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status;
}

SPACE_TEST(SpaceTest, HidesHomesAndOurselves) {
  SpaceTrial trial;
  EXPECT_EQ(trial.run("cat " + trial.home + "/secret").status, 1);
  EXPECT_EQ(trial.run("cat " + trial.root + "/own/key").status, 1);
  EXPECT_EQ(trial.run("ls -A " + trial.home + " $HOME; echo $HOME").output,
            trial.home + ":\n.gitconfig\n\n" + trial.home + ":\n.gitconfig\n" + trial.home + "\n");
  EXPECT_EQ(trial.run("ls -A /home /root /mnt /media /run/user | grep -v :").output,
            "\n\n\n\n" + std::to_string(trial.session().space.identity.uid) + "\n");
  EXPECT_NE(trial.run("cat /etc/shadow").status, 0);
}

SPACE_TEST(SpaceTest, HidesOurselvesEvenInsideTheWorkspace) {
  SpaceTrial trial;
  trial.own = trial.workspace + "/own";
  ASSERT_TRUE(make_directories(trial.own + "/run"));
  ASSERT_TRUE(make_directories(trial.own + "/skills"));
  ASSERT_TRUE(write_file_atomically(trial.own + "/key", "our key\n"));
  trial.shown = {trial.own + "/skills"};
  EXPECT_EQ(trial.run("ls -A own; cat own/key").output, "skills\ncat: own/key: No such file or directory\n");
  EXPECT_NE(trial.run("touch own/y").status, 0);
  EXPECT_NE(trial.run("mv own elsewhere").status, 0);
}

SPACE_TEST(SpaceTest, WritesTheWorkspaceAsItsOwner) {
  SpaceTrial trial;
  EXPECT_EQ(trial.run("umask; mkdir d && echo hello > d/f && stat -c '%U %A' d/f | sed \"s/$(id -un)/me/\""),
            (Outcome{0, "0022\nme -rw-r--r--\n"}));
  EXPECT_EQ(*read_file(trial.workspace + "/d/f"), "hello\n");
  EXPECT_EQ(status_of(trial.workspace + "/d/f").st_uid, ::geteuid());
  EXPECT_EQ(status_of(trial.workspace + "/d/f").st_gid, ::getegid());
}

SPACE_TEST(SpaceTest, WritesNothingElse) {
  SpaceTrial trial;
  for (const std::string path :
       {"/x", "/etc/x", "/usr/x", "/var/x", "/opt/x", "/sys/x", "/run/x", "/home/x", "/dev/x"}) {
    EXPECT_NE(trial.run("touch " + path).status, 0) << path;
    EXPECT_FALSE(exists(path));
  }
  EXPECT_NE(trial.run("echo x > /proc/sys/kernel/core_pattern").status, 0);
  EXPECT_NE(trial.run("echo b > /proc/sysrq-trigger && false").status, 0);
  EXPECT_EQ(trial.run("cat /proc/keys /proc/timer_list"), (Outcome{0, ""}));  // covered by /dev/null
}

SPACE_TEST(SpaceTest, SharesTmpInsideASessionOnly) {
  SpaceTrial trial, other;
  EXPECT_EQ(trial.run("echo one > /tmp/talaria-shared; echo two > /dev/shm/b; echo $TMPDIR").output, "/tmp\n");
  EXPECT_EQ(trial.run("cat /tmp/talaria-shared /var/tmp/talaria-shared /dev/shm/b").output, "one\none\ntwo\n");
  EXPECT_FALSE(exists("/tmp/talaria-shared"));
  EXPECT_NE(other.run("cat /tmp/talaria-shared").status, 0);
}

SPACE_TEST(SpaceTest, CapsTmp) {
  SpaceTrial trial;
  trial.profile.limits.tmp_bytes = 1 << 20;
  trial.profile.limits.tmp_inodes = 32;
  EXPECT_THAT(trial.run("head -c 2000000 /dev/zero > /tmp/big").output, HasSubstr("No space left"));
  EXPECT_THAT(trial.run("rm /tmp/big; for i in $(seq 40); do touch ~/$i || exit 1; done").output,
              HasSubstr("No space left"));
}

SPACE_TEST(SpaceTest, ShowsACommandItsOwnProcessesOnly) {
  SpaceTrial trial;
  const SpaceTrial::Background other = trial.start("exec sleep 1000");
  // The shell itself looks, for nobody knows which of its children are there yet. Its init is hidden.
  EXPECT_EQ(trial.run("echo $$ /proc/[0-9]*").output, "2 /proc/2\n");
  EXPECT_NE(trial.run("kill -9 1; kill -0 1").output, "");  // it lives: so did the reader of this
  EXPECT_THAT(trial.run("ps -e -o comm=").output, Not(HasSubstr("sleep")));
}

SPACE_TEST(SpaceTest, HoldsNoPowerAndNoFiles) {
  const UniqueFd kept = *open_file("/dev/null", O_RDONLY);
  ASSERT_EQ(::fcntl(kept.get(), F_SETFD, 0), 0);  // even one that survives exec
  SpaceTrial trial;
  EXPECT_EQ(trial.run("grep -E '^(Cap|NoNewPrivs|Seccomp:|Groups)' /proc/self/status | tr -d '\\t '").output,
            "Groups:\nCapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\n"
            "CapBnd:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2\n");
  EXPECT_EQ(trial.run_program({"/bin/ls", "/proc/self/fd"}).output, "0\n1\n2\n3\n");  // 3 is the listing itself
  EXPECT_EQ(trial.run("ulimit -c").output, "0\n");
}

SPACE_TEST(SpaceTest, LetsGitCommitButNotChangeWhatGitRuns) {
  SpaceTrial trial;
  ASSERT_EQ(::system(("git init -q " + trial.workspace + " && touch " + trial.workspace + "/.mcp.json").c_str()), 0);
  EXPECT_EQ(trial.run("git add .mcp.json && git commit -qm first && git log --format=%an:%s"),
            (Outcome{0, "A:first\n"}));
  EXPECT_EQ(trial
                .run("git worktree add -q tree && git -C tree commit -q --allow-empty -m second && "
                     "git worktree remove tree")
                .status,
            0);
  EXPECT_NE(trial.run("echo x > .git/hooks/pre-commit").status, 0);
  EXPECT_NE(trial.run("git config core.hooksPath /tmp").status, 0);
  EXPECT_NE(trial.run("mv .git .moved").status, 0);
  EXPECT_NE(trial.run("rm -f .mcp.json").status, 0);
  EXPECT_NE(trial.run("mv .git/hooks .git/h").status, 0);
  EXPECT_NE(trial.run("echo x > .mcp.json").status, 0);
  EXPECT_EQ(*read_file(trial.workspace + "/.mcp.json"), "");
}

SPACE_TEST(SpaceTest, ProtectsANameAgainThatWasReplacedOutside) {
  SpaceTrial trial;
  ASSERT_TRUE(write_file_atomically(trial.workspace + "/.mcp.json", "old\n"));
  EXPECT_NE(trial.run("echo x > .mcp.json").status, 0);
  ASSERT_TRUE(write_file_atomically(trial.workspace + "/.mcp.json", "new\n"));  // another file now
  EXPECT_NE(trial.run("cat .mcp.json; echo x > .mcp.json").status, 0);
  EXPECT_EQ(*read_file(trial.workspace + "/.mcp.json"), "new\n");
}

SPACE_TEST(SpaceTest, ShowsWhatItIsToldToInsideOurOwnHome) {
  SpaceTrial trial;
  ASSERT_TRUE(make_directories(trial.root + "/own/skills/x"));
  ASSERT_TRUE(write_file_atomically(trial.root + "/own/skills/x/f", "skill\n"));
  trial.shown = {trial.root + "/own/skills/x"};
  EXPECT_EQ(trial.run("cat ../own/skills/x/f; ls -A ../own").output, "skill\nskills\n");
  EXPECT_NE(trial.run("touch ../own/skills/x/y").status, 0);
}

SPACE_TEST(SpaceTest, WritesNoWorkspaceUnderReadOnly) {
  SpaceTrial trial(ProfileKind::read_only);
  ASSERT_TRUE(write_file_atomically(trial.workspace + "/f", "text\n"));
  EXPECT_EQ(trial.run("cat f"), (Outcome{0, "text\n"}));
  EXPECT_NE(trial.run("touch x").status, 0);
  EXPECT_EQ(trial.run("touch /tmp/x ~/x").status, 0);
}

SPACE_TEST(SpaceTest, OpensWhatAProfileNames) {
  SpaceTrial trial;
  ASSERT_TRUE(make_directories(trial.home + "/data"));
  ASSERT_TRUE(make_directories(trial.root + "/out"));
  ASSERT_TRUE(write_file_atomically(trial.home + "/data/f", "shown\n"));
  trial.profile.readable = {trial.home + "/data"};
  trial.profile.writable = {trial.root + "/out"};
  EXPECT_EQ(trial.run("cat ~/data/f"), (Outcome{0, "shown\n"}));
  EXPECT_NE(trial.run("touch ~/data/x").status, 0);
  EXPECT_EQ(trial.run("echo y > ../out/y").status, 0);
  EXPECT_EQ(status_of(trial.root + "/out/y").st_uid, ::geteuid());
}

SPACE_TEST(SpaceTest, ShowsToolsButNotTheirCredentials) {
  SpaceTrial trial;
  for (const std::string folder : {"/.cargo/bin", "/.pyenv/shims", "/tools/bin"}) {
    ASSERT_TRUE(make_directories(trial.home + folder));
  }
  for (const std::string file : {"/.cargo/credentials.toml", "/.pyenv/.netrc", "/tools/key"}) {
    ASSERT_TRUE(write_file_atomically(trial.home + file, "secret\n"));
  }
  ASSERT_TRUE(write_file_atomically(trial.home + "/.cargo/bin/tool", "#!/bin/sh\necho tool\n", 0755));
  trial.path = trial.home + "/.cargo/bin:" + trial.home + "/.pyenv/shims:" + trial.home + "/tools/bin:/usr/bin:/bin";
  EXPECT_EQ(trial.run("tool"), (Outcome{0, "tool\n"}));
  EXPECT_EQ(trial.run("cat ~/.cargo/credentials.toml").status, 1);
  EXPECT_EQ(trial.run("cat ~/tools/key").status, 1);
  EXPECT_EQ(trial.run("ls -A ~/.pyenv; cat ~/.pyenv/.netrc").output, ".netrc\nshims\n");
}

SPACE_TEST(SpaceTest, HidesAWorkspaceThatIsTheHome) {
  SpaceTrial trial;
  trial.workspace = trial.home;
  EXPECT_EQ(trial.run("pwd; cat secret").output, trial.home + "\ncat: secret: No such file or directory\n");
  EXPECT_FALSE(trial.session().view.workspace_writable);
  EXPECT_THAT(trial.session().view.notes,
              testing::ElementsAre(HasSubstr("is or holds a home directory, which stays hidden")));
}

SPACE_TEST(SpaceTest, ShowsEverythingButOurselvesUnderFull) {
  SpaceTrial trial(ProfileKind::full);
  EXPECT_EQ(trial.run("cat " + trial.home + "/secret; id -u").output,
            "the secret\n" + std::to_string(::geteuid()) + "\n");
  EXPECT_EQ(trial.run("touch " + trial.root + "/x").status, 0);
  EXPECT_EQ(trial.run("cat " + trial.root + "/own/key").status, 1);
  EXPECT_EQ(trial.run("echo $$").output, "2\n");
}

TEST(SpaceTest, MakesAWayThroughDirectoriesOnlyRootMayEnter) {
  SpaceTrial trial;
  ASSERT_TRUE(make_directories(trial.root + "/closed/deep/work", 0700));
  ASSERT_TRUE(write_file_atomically(trial.root + "/closed/other", "secret"));
  trial.workspace = trial.root + "/closed/deep/work";
  EXPECT_EQ(trial.run("pwd && touch x && ls -A ../..").output, trial.workspace + "\ndeep\n");
}

TEST(SpaceTest, NamesFilesOfOtherOwners) {
  if (::geteuid() != 0) return;  // an ordinary user cannot make such files
  SpaceTrial trial;
  ASSERT_TRUE(write_file_atomically(trial.workspace + "/theirs", "x"));
  ASSERT_EQ(::chown((trial.workspace + "/theirs").c_str(), 1234, 1234), 0);
  EXPECT_NE(trial.run("echo y > theirs").status, 0);
  EXPECT_EQ(trial.session().foreign, std::vector{trial.workspace + "/theirs"});
}

TEST(SpaceTest, RunsAsRootWithoutCapabilitiesWhenToldTo) {
  if (::geteuid() != 0) return;
  SpaceTrial trial;
  trial.root_identity = RootIdentity::same;
  EXPECT_EQ(trial.run("id -u; grep CapEff /proc/self/status | tr -d '\\t'").output, "0\nCapEff:0000000000000000\n");
  EXPECT_NE(trial.run("mknod /tmp/x c 1 3").status, 0);
  EXPECT_NE(trial.run("echo x > /proc/sys/kernel/core_pattern").status, 0);
}

}  // namespace
}  // namespace talaria
