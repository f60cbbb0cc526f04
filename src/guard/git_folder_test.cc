#include "guard/git_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "guard/git_test_workspace.h"
#include "os/file.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GitFolderTest : public GitTestWorkspace {
 protected:
  // "rule path" of each finding.
  std::vector<std::string> findings_in(const std::string& place) const {
    std::vector<std::string> lines;
    for (const GitFinding& finding : judged(place))
      lines.push_back(finding.rule + " " + finding.path + (finding.cure == GitCure::rewrite ? " rewritten" : ""));
    return lines;
  }
  std::vector<GitFinding> judged(const std::string& place) const {
    const UniqueFd folder(::open(path(place).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_TRUE(folder) << place;
    return judge_git_folder(folder.get(), surroundings(place));
  }
  // Of a .git file.
  std::vector<std::string> findings_at(const std::string& place) const {
    const UniqueFd folder(::open(path(place).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::vector<std::string> lines;
    for (const GitFinding& finding : judge_git_file(folder.get(), ".git", surroundings(place)))
      lines.push_back(finding.rule + " " + finding.path);
    return lines;
  }
  bool is_git(const std::string& place) const {
    const UniqueFd folder(::open(path(place).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return looks_like_git_folder(folder.get());
  }
};

TEST_F(GitFolderTest, FindsNothingInOrdinaryRepositories) {
  run("git init -q a && cd a && echo x > f && git add f && git commit -qm one && git remote add o https://h/x.git && "
      "git config user.name A && git branch b && git config branch.b.remote o && git stash -q || true");
  run("cd a && echo y >> f && git stash -q && git stash pop -q && git commit -qam two && git gc -q && git tag -m t t");
  run("git init -q --bare b.git && git clone -q file://$PWD/a c && git clone -q --shared a d && git clone -q --mirror "
      "a e.git");
  for (const std::string place : {"a/.git", "b.git", "c/.git", "d/.git", "e.git"}) {
    EXPECT_TRUE(is_git(place)) << place;
    EXPECT_THAT(findings_in(place), IsEmpty()) << place;
  }
  EXPECT_FALSE(is_git("a"));
}

TEST_F(GitFolderTest, FindsNothingInAmRebaseAndSparseCheckouts) {
  run("git init -q a && cd a && for i in 1 2 3; do echo $i > f; git add f; git commit -qm c$i; done; "
      "git format-patch -q -1 --stdout > ../p && git reset -q --hard HEAD^ && git am -q ../p");
  run("cd a && GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -q -i HEAD~2 || true; test -d .git/rebase-merge");
  EXPECT_THAT(findings_in("a/.git"), IsEmpty());
  run("cd a && git rebase --abort && git sparse-checkout init --cone && git sparse-checkout set x");
  EXPECT_THAT(findings_in("a/.git"), IsEmpty());
}

TEST_F(GitFolderTest, FindsNothingInWorktreesAndSubmodules) {
  run("git init -q lib && cd lib && echo x > f && git add f && git commit -qm one");
  run("git init -q a && cd a && git -c protocol.file.allow=always submodule add -q ../lib deep/lib && git commit -qm "
      "one && "
      "git worktree add -q ../w && cd ../w && git -c protocol.file.allow=always submodule -q update --init");
  run("git -c protocol.file.allow=always clone -q --recurse-submodules a c");
  for (const std::string place :
       {"a/.git", "a/.git/worktrees/w", "a/.git/modules/deep/lib", "c/.git", "c/.git/modules/deep/lib"}) {
    EXPECT_TRUE(is_git(place)) << place;
    EXPECT_THAT(findings_in(place), IsEmpty()) << place;
  }
  for (const std::string place : {"a/deep/lib", "w", "w/deep/lib", "c/deep/lib", "a"})
    EXPECT_THAT(findings_at(place), IsEmpty()) << place;
  run("cd a && git submodule -q deinit -f deep/lib && git worktree remove --force ../w");
  EXPECT_THAT(findings_in("a/.git"), IsEmpty());
}

TEST_F(GitFolderTest, RewritesAConfigurationThatRunsSomething) {
  run("git init -q a && git -C a config core.fsmonitor ./x && git -C a config user.name A && git -C a config alias.st "
      "'!x'");
  const std::vector<GitFinding> findings = judged("a/.git");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "git-config");
  EXPECT_EQ(findings[0].cure, GitCure::rewrite);
  EXPECT_EQ(
      findings[0].why,
      "The setting core.fsmonitor names a program that nearly every git command runs. The setting alias.st gives a "
      "git command another meaning, which may be a program.");
  ASSERT_TRUE(write_file_atomically(path("a/.git/config"), findings[0].content));
  EXPECT_THAT(findings_in("a/.git"), IsEmpty());
  EXPECT_EQ(run("git -C a config --local user.name"), "A\n");
}

TEST_F(GitFolderTest, TakesAwayAConfigurationThatNobodyCanRead) {
  for (const std::string made : {"echo '[core' > config", "mkdir config", "mkfifo config", "ln -s /etc/passwd config",
                                 "head -c 1100000 /dev/zero | tr '\\0' '\\n' > config"}) {
    run("rm -rf a && git init -q a && cd a/.git && rm config && " + made);
    EXPECT_THAT(findings_in("a/.git"), ElementsAre("git-config config")) << made;
  }
  run("rm -rf a && git init -q a && ln a/.git/config other && echo '[alias] x = y' > a/.git/config.worktree");
  EXPECT_THAT(findings_in("a/.git"),
              ElementsAre("git-config config rewritten", "git-config config.worktree rewritten"));
}

TEST_F(GitFolderTest, TakesAwayHooksThatAreNoSamples) {
  run("git init -q a && touch a/.git/hooks/post-checkout && ln -s /x a/.git/hooks/pre-commit");
  EXPECT_THAT(findings_in("a/.git"), ElementsAre("git-hook hooks/post-checkout", "git-hook hooks/pre-commit"));
  run("rm -r a/.git/hooks && mkdir h && ln -s ../../h a/.git/hooks");
  EXPECT_THAT(findings_in("a/.git"), ElementsAre("git-hook hooks"));
}

TEST_F(GitFolderTest, TakesAwayWhatLeadsGitElsewhere) {
  run("git init -q other && git init -q a && cd a/.git && echo ../../other/.git > commondir && mkdir remotes && "
      "echo 'URL: ext::x' > remotes/o && mv refs r && ln -s r refs && rm HEAD && ln -s r/heads/main HEAD");
  EXPECT_THAT(findings_in("a/.git"),
              ElementsAre("git-link refs", "git-link HEAD", "git-commondir commondir", "git-remote remotes"));
  run("cd a/.git && rm HEAD && ln -s refs/heads/main HEAD");
  EXPECT_TRUE(is_git("a/.git"));
  EXPECT_THAT(findings_in("a/.git"), ElementsAre("git-link refs", "git-commondir commondir", "git-remote remotes"));
}

TEST_F(GitFolderTest, KnowsAGitFolderByWhatItHoldsNotByItsName) {
  run("mkdir -p plain/objects plain/refs && git init -q a && mv a/.git a/renamed && mkdir bare && cd bare && "
      "echo ref: refs/heads/x > HEAD && echo ../a/renamed > commondir");
  EXPECT_FALSE(is_git("plain"));
  EXPECT_TRUE(is_git("a/renamed"));
  EXPECT_TRUE(is_git("bare"));
  run("echo nothing > plain/HEAD");
  EXPECT_FALSE(is_git("plain"));
  run("echo 0123456789012345678901234567890123456789 > plain/HEAD");
  EXPECT_TRUE(is_git("plain"));
  run("rm plain/HEAD && mkfifo plain/HEAD");
  EXPECT_TRUE(is_git("plain"));
}

TEST_F(GitFolderTest, TakesAwayAlternatesThatLeadOutOfTheWorkspace) {
  run("git init -q a && git init -q b && cd a/.git/objects/info && echo ../../../b/.git/objects > alternates");
  EXPECT_THAT(findings_in("a/.git"), IsEmpty());
  for (const std::string line : {"/etc", "../../../../..", "\\\"/etc\\\"", "../../../link"}) {
    run("ln -sfn b/.git/objects link && echo \"" + line + "\" > a/.git/objects/info/alternates");
    EXPECT_THAT(findings_in("a/.git"), ElementsAre("git-alternates objects/info/alternates")) << line;
  }
  run("echo /known/objects > a/.git/objects/info/alternates");
  EXPECT_THAT(findings_in("a/.git"), IsEmpty());
}

TEST_F(GitFolderTest, JudgesSubmodulesAndWorktreesInside) {
  run("git init -q a && git init -q lib && git -C lib commit -q --allow-empty -m one && cd a && "
      "git -c protocol.file.allow=always submodule add -q ../lib && git commit -qm one && git worktree add -q ../w");
  run("cd a/.git && touch modules/lib/hooks/post-checkout && git config -f modules/lib/config core.worktree /etc && "
      "echo /x > worktrees/w/commondir && echo /x > worktrees/w/gitdir && echo '[alias] a = b' > "
      "worktrees/w/config.worktree");
  EXPECT_THAT(findings_in("a/.git"),
              ElementsAre("git-config worktrees/w/config.worktree rewritten", "git-commondir worktrees/w/commondir",
                          "git-worktree worktrees/w/gitdir", "git-config modules/lib/config rewritten",
                          "git-hook modules/lib/hooks/post-checkout"));
  EXPECT_THAT(findings_at("a/lib"), ElementsAre("git-file .git"));
  EXPECT_THAT(findings_at("w"), ElementsAre("git-file .git"));
}

TEST_F(GitFolderTest, RefusesAPlantedWorktreeFolderBelowNoRepository) {
  run("git init -q a && mkdir -p p/worktrees && mv a/.git/objects a/.git/refs p && mkdir p/worktrees/x && cd "
      "p/worktrees/x && "
      "echo ref: refs/heads/m > HEAD && echo ../.. > commondir && echo '[alias] a = b' > ../../config");
  EXPECT_TRUE(is_git("p/worktrees/x"));
  EXPECT_THAT(findings_in("p/worktrees/x"), ElementsAre("git-commondir commondir"));
}

TEST_F(GitFolderTest, TakesAllModulesAwayWhenThereAreTooManyToLookAt) {
  run("git init -q a && mkdir -p a/.git/modules && cd a/.git/modules && mkdir $(seq 600) && touch 9/config");
  EXPECT_THAT(findings_in("a/.git"), ElementsAre("git-modules modules"));
}

TEST_F(GitFolderTest, RefusesGitFilesThatLeadSomewhereElse) {
  run("mkdir w && git init -q a && git init -q --bare b.git");
  for (const std::string made :
       {"echo gitdir: /etc > .git", "echo gitdir: ../b.git > .git", "echo gitdir: ../../../x > .git",
        "ln -s ../a/.git .git", "mkfifo .git", "echo nonsense > .git", "echo gitdir: ../none > .git"}) {
    run("cd w && rm -rf .git && " + made);
    EXPECT_THAT(findings_at("w"), ElementsAre("git-file .git")) << made;
  }
}

TEST_F(GitFolderTest, DropsCommandsOfAStoppedRebase) {
  run("git init -q a && cd a && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two && "
      "GIT_SEQUENCE_EDITOR=true git rebase -q -i --exec false --root || true");
  const std::string todo = "a/.git/rebase-merge/git-rebase-todo";
  run("printf '# x\\npick 1 a\\n\\tx touch me\\n exec b\\nexecute\\nlabel exec' > " + todo);
  const UniqueFd folder(::open(path("a/.git").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::vector<GitFinding> findings = judge_rebase_state(folder.get());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "git-rebase");
  EXPECT_EQ(findings[0].path, "rebase-merge/git-rebase-todo");
  EXPECT_EQ(findings[0].content, "# x\npick 1 a\nexecute\nlabel exec");
  EXPECT_THAT(findings[0].why, HasSubstr("x touch me"));
  EXPECT_EQ(judged("a/.git"), findings);
}

TEST(GitLockedNamesTest, HoldWhatGitObeysAndNotWhatWorkWrites) {
  for (const std::string path :
       {"hooks", "hooks/pre-commit", "config", "config.worktree", "commondir", "info/attributes",
        "objects/info/alternates", "remotes/o", "modules/a/config", "modules/a/b/hooks/x", "modules/a/modules/b/config",
        "worktrees/w/commondir", "worktrees/w/gitdir", "worktrees/w/config.worktree", "worktrees/w/modules/a/config",
        "modules/libs/logs/config"})
    EXPECT_TRUE(is_locked_in_git_folder(path)) << path;
  for (const std::string path :
       {"HEAD", "index", "refs/heads/config", "refs/heads/hooks/x", "logs/refs/heads/config", "objects/12/34",
        "info/exclude", "info/sparse-checkout", "rebase-merge/git-rebase-todo", "modules/a/refs/heads/config",
        "modules/a/HEAD", "modules/a/logs/refs/remotes/o/config", "worktrees/w/HEAD", "worktrees/w/index", "",
        "config.lock"})
    EXPECT_FALSE(is_locked_in_git_folder(path)) << path;
}

}  // namespace
}  // namespace talaria
