#include "guard/own_commits.h"

#include <gtest/gtest.h>

#include "guard/git_test_workspace.h"
#include "guard/git_tips.h"

namespace talaria {
namespace {

class OwnCommitsTest : public GitTestWorkspace {
 protected:
  OwnCommits taken(const std::string& place, const std::string& program = "/usr/bin/git") const {
    const UniqueFd folder(::open(path(place).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    Result<OwnCommits> commits =
        OwnCommits::take(folder.get(), read_git_tips(folder.get()), {.scratch = root_, .program = program});
    EXPECT_TRUE(commits);
    return *std::move(commits);
  }
  // A history of three contents of two files, the last one without them, and a side branch that was merged away.
  void make_history(const std::string& options = "") const {
    run("git init -q -b main " + options +
        " a && cd a && mkdir -p d/e && for i in 1 2 3; do echo $i > .envrc; echo d$i > d/e/f; "
        "git add . && git commit -qm c$i; done; git tag -m t tagged; git checkout -q -b side HEAD~1 && echo side > "
        ".envrc && "
        "git commit -qam side && git checkout -q main && git merge -q -s ours -m merged side && git branch -qD side && "
        "git rm -q -r .envrc d && git commit -qm gone");
  }
};

TEST(GitObjectIdTest, IsWhatGitComputes) {
  EXPECT_EQ(git_object_id(GitHash::sha1, "blob", ""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_object_id(GitHash::sha256, "blob", ""),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
}

TEST_F(OwnCommitsTest, ComputesIdsOfEveryLengthAsGitDoes) {
  std::string script = "git init -q s1; git init -q --object-format=sha256 s2; ";
  std::string expected;
  for (size_t length = 40; length < 190; length += 3) {
    const std::string text(length, 'x');
    script += "for r in s1 s2; do printf " + text + " | git -C $r hash-object --stdin; done; ";
    expected += git_object_id(GitHash::sha1, "blob", text) + "\n" + git_object_id(GitHash::sha256, "blob", text) + "\n";
  }
  EXPECT_EQ(run(script), expected);
}

TEST_F(OwnCommitsTest, HoldWhatAnyOfThemHasAtThatPath) {
  for (const std::string options : {"", "--object-format=sha256"}) {
    run("rm -rf a");
    make_history(options);
    for (const std::string packed : {"", "git -C a gc -q --prune=now"}) {
      if (!packed.empty()) run(packed);
      OwnCommits commits = taken("a/.git");
      for (const std::string content : {"1\n", "2\n", "3\n", "side\n"})
        EXPECT_TRUE(commits.holds(".envrc", content)) << content;
      EXPECT_TRUE(commits.holds("d/e/f", "d1\n"));
      EXPECT_TRUE(commits.holds("d/e/f", "d3\n"));
      EXPECT_FALSE(commits.holds(".envrc", "d1\n"));
      EXPECT_FALSE(commits.holds(".envrc", "4\n"));
      EXPECT_FALSE(commits.holds("d/e", "d1\n"));
      EXPECT_FALSE(commits.holds("d/e/f/g", "d1\n"));
      EXPECT_FALSE(commits.holds("d/../.envrc", "1\n"));
      EXPECT_FALSE(commits.holds("", "1\n"));
    }
  }
}

TEST_F(OwnCommitsTest, AreTheSameWhenAskedForManyAtOnce) {
  make_history();
  OwnCommits commits = taken("a/.git");
  commits.expect({"1\n", "4\n", "d1\n"});
  EXPECT_TRUE(commits.holds(".envrc", "1\n"));
  EXPECT_TRUE(commits.holds("d/e/f", "d1\n"));
  EXPECT_FALSE(commits.holds(".envrc", "4\n"));
  EXPECT_TRUE(commits.holds(".envrc", "2\n"));
}

TEST_F(OwnCommitsTest, DoNotHoldWhatWasCommittedLater) {
  make_history();
  OwnCommits commits = taken("a/.git");
  run("cd a && echo evil > .envrc && git add -f .envrc && git commit -qm evil && git update-ref refs/heads/main HEAD");
  EXPECT_FALSE(commits.holds(".envrc", "evil\n"));
  EXPECT_TRUE(taken("a/.git").holds(".envrc", "evil\n"));
}

TEST_F(OwnCommitsTest, BelieveNoObjectThatIsNotWhatItsIdSays) {
  // The checked out commit is replaced by another one, under its old name: git log believes that.
  make_history();
  OwnCommits commits = taken("a/.git");
  run("cd a && old=$(git rev-parse HEAD) && echo evil > .envrc && git add -f .envrc && git commit -qm evil && "
      "new=$(git rev-parse HEAD) && git reset -q --hard $old && object() { echo .git/objects/$(echo $1 | cut "
      "-c1-2)/$(echo $1 | "
      "cut -c3-); } && cp -f $(object $new) $(object $old)");
  EXPECT_FALSE(run("cd a && git log --format=%s -1").find("evil") == std::string::npos);
  EXPECT_FALSE(commits.holds(".envrc", "evil\n"));
  EXPECT_FALSE(taken("a/.git").holds(".envrc", "evil\n"));
}

TEST_F(OwnCommitsTest, BelieveNoForgedParent) {
  // A commit below the checked out one is replaced, so that its history is another one.
  make_history();
  OwnCommits commits = taken("a/.git");
  run("cd a && old=$(git rev-parse HEAD~1) && tree=$(git rev-parse HEAD~1^{tree}) && echo evil > .envrc && "
      "git add -f .envrc && evil=$(git commit-tree -m evil $(git write-tree)) && "
      "new=$(git commit-tree -p $evil -m forged $tree) && object() { echo .git/objects/$(echo $1 | cut -c1-2)/$(echo "
      "$1 | "
      "cut -c3-); } && cp -f $(object $new) $(object $old)");
  EXPECT_EQ(run("cd a && git log --format=%s"), "gone\nforged\nevil\n");
  EXPECT_FALSE(commits.holds(".envrc", "evil\n"));
}

TEST_F(OwnCommitsTest, AskNeitherConfigurationNorReplacements) {
  make_history();
  OwnCommits commits = taken("a/.git");
  run("cd a && old=$(git rev-parse HEAD) && echo evil > .envrc && git add -f .envrc && git commit -qm evil && "
      "git replace $old HEAD && git config core.fsmonitor 'touch " +
      root_ +
      "/ran' && "
      "printf '[alias]\\nlog = !touch " +
      root_ + "/ran\\n' >> .git/config && printf '[alias]\\nlog = !touch " + root_ + "/ran\\n' > \"$HOME/.gitconfig\"");
  EXPECT_FALSE(commits.holds(".envrc", "evil\n"));
  EXPECT_TRUE(commits.holds(".envrc", "2\n"));
  EXPECT_FALSE(exists(root_ + "/ran"));
}

TEST_F(OwnCommitsTest, WorkInShallowSharedAndLinkedRepositories) {
  make_history();
  run("git -C a checkout -q -b old HEAD~1 && git clone -q --depth 2 file://$PWD/a shallow && git clone -q --shared a "
      "shared && "
      "git -C shared worktree add -q --detach ../linked HEAD~1");
  EXPECT_TRUE(taken("shallow/.git").holds(".envrc", "3\n"));
  EXPECT_FALSE(taken("shallow/.git").holds(".envrc", "1\n"));
  EXPECT_TRUE(taken("shared/.git").holds(".envrc", "1\n"));
}

TEST_F(OwnCommitsTest, SayNoWhenGitIsMissingSlowOrBroken) {
  make_history();
  EXPECT_FALSE(taken("a/.git", "/nowhere/git").holds(".envrc", "3\n"));
  EXPECT_FALSE(taken("a/.git", "/bin/false").holds(".envrc", "3\n"));
  const UniqueFd folder(::open(path("a/.git").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(write_file_atomically(root_ + "/slow", "#!/bin/sh\nsleep 1000 & sleep 1000\n", 0700));
  OwnCommits slow = *OwnCommits::take(folder.get(), read_git_tips(folder.get()),
                                      {.scratch = root_, .program = root_ + "/slow", .patience = 100ms});
  EXPECT_FALSE(slow.holds(".envrc", "3\n"));
  OwnCommits broken = taken("a/.git");
  run("rm -rf a/.git/objects && mkdir a/.git/objects");
  EXPECT_FALSE(broken.holds(".envrc", "3\n"));
  run("git init -q empty");
  EXPECT_FALSE(taken("empty/.git").holds(".envrc", ""));
}

TEST_F(OwnCommitsTest, LeaveNothingBehind) {
  make_history();
  { EXPECT_TRUE(taken("a/.git").holds(".envrc", "1\n")); }
  EXPECT_EQ(*list_directory(root_), (std::vector<std::string>{"errors", "workspace"}));
}

}  // namespace
}  // namespace talaria
