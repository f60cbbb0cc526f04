#include "guard/persons_commits.h"

#include <gtest/gtest.h>

#include "guard/git_test_workspace.h"

namespace talaria {
namespace {

// A repository "a" with an .envrc of "1"; commands and the person take turns in it.
class PersonsCommitsTest : public GitTestWorkspace {
 protected:
  void SetUp() override {
    GitTestWorkspace::SetUp();
    run("git init -q -b main a && cd a && echo 1 > .envrc && git add -f .envrc && git commit -qm one");
  }
  PersonsCommits guarded() const { return {path("a"), path("ledgers")}; }
  void commit(const std::string& content, const std::string& more = "true") const {
    run("cd a && echo " + content + " > .envrc && git add -f .envrc && git commit -qm " + content + " && " + more);
  }
  // What a command does between begin and rest.
  void commit_inside(PersonsCommits& commits, const std::string& content, const std::string& more = "true") const {
    commits.begin();
    commit(content, more);
    commits.rest();
  }
};

TEST_F(PersonsCommitsTest, AreThoseOfBeforeAndThoseBroughtBetweenCommands) {
  PersonsCommits commits = guarded();
  commits.begin();
  EXPECT_TRUE(commits.hold(".envrc", "1\n"));
  commits.rest();
  commit("2");
  commits.begin();
  EXPECT_TRUE(commits.hold(".envrc", "2\n"));
  EXPECT_TRUE(commits.hold(".envrc", "1\n"));
}

TEST_F(PersonsCommitsTest, AreNotThoseOfCommandsAlsoForALaterSandbox) {
  {
    PersonsCommits commits = guarded();
    commit_inside(commits, "evil");
    EXPECT_FALSE(commits.hold(".envrc", "evil\n"));
  }
  PersonsCommits later = guarded();
  for (int i = 0; i < 2; ++i) {
    later.begin();
    EXPECT_FALSE(later.hold(".envrc", "evil\n"));
    EXPECT_TRUE(later.hold(".envrc", "1\n"));  // the branch was moved on from it
    later.rest();
  }
}

TEST_F(PersonsCommitsTest, AreThoseTheyBuiltOn) {
  PersonsCommits commits = guarded();
  commit_inside(commits, "theirs");
  run("cd a && echo more > b && git add b && git commit -qm mine");
  commits.begin();
  EXPECT_TRUE(commits.hold(".envrc", "theirs\n"));
}

TEST_F(PersonsCommitsTest, AreNotThoseWhoseReferencesWereHiddenOrWrittenInPlace) {
  const std::vector<std::string> ways = {
      "git pack-refs --all",
      "git branch deep/in/there && git reset -q --hard HEAD~1",
      "git checkout -q --detach && git branch -qf main HEAD~1",
      "git rev-parse HEAD > .git/refs/heads/by-hand && git reset -q --hard HEAD~1",
      "git tag -m t tagged && git reset -q --hard HEAD~1",
      "git worktree add -q --detach ../b && git reset -q --hard HEAD~1",
  };
  for (const std::string& way : ways) {
    run("rm -rf a b ledgers");
    SetUp();
    {
      PersonsCommits commits = guarded();
      commit_inside(commits, "evil", way);
    }
    PersonsCommits later = guarded();
    later.begin();
    EXPECT_FALSE(later.hold(".envrc", "evil\n")) << way;
    EXPECT_TRUE(later.hold(".envrc", "1\n")) << way;
    later.rest();
    run("cd a && git gc -q --prune=now");  // the person does, and nothing changes by it
    later.begin();
    EXPECT_FALSE(later.hold(".envrc", "evil\n")) << way;
  }
}

TEST_F(PersonsCommitsTest, AreNotThoseOfCommandsThatRanWhileNobodyLooked) {
  {
    PersonsCommits killed = guarded();
    killed.begin();
    commit("evil");
  }
  PersonsCommits later = guarded();
  later.begin();
  EXPECT_FALSE(later.hold(".envrc", "evil\n"));
  EXPECT_TRUE(later.hold(".envrc", "1\n"));
  later.rest();
  commit("2");
  later.begin();
  EXPECT_TRUE(later.hold(".envrc", "2\n"));
}

TEST_F(PersonsCommitsTest, AreNotThoseThatAnotherSandboxMakesAtTheSameTime) {
  PersonsCommits one = guarded(), other = guarded();
  one.begin();
  commit("evil");
  other.begin();
  EXPECT_FALSE(other.hold(".envrc", "evil\n"));
  one.rest();
  other.rest();
  one.begin();
  EXPECT_FALSE(one.hold(".envrc", "evil\n"));
  one.rest();
  commit("2");  // no command runs any more
  one.begin();
  EXPECT_TRUE(one.hold(".envrc", "2\n"));
}

TEST_F(PersonsCommitsTest, AreNoneInARepositoryThatCommandsMade) {
  run("mkdir c");
  const auto guard = [&] { return PersonsCommits(path("c"), path("ledgers")); };
  const auto make = [&](const std::string& content) {
    run("cd c && git init -q && echo " + content + " > .envrc && git add -f .envrc && git commit -qm one");
  };
  {
    PersonsCommits commits = guard();
    commits.begin();
    make("1");
    commits.rest();
  }
  EXPECT_FALSE(guard().hold(".envrc", "1\n"));
  run("rm -rf c && mkdir c");
  PersonsCommits commits = guard();
  commits.begin();
  commits.rest();
  make("2");
  commits.begin();
  EXPECT_TRUE(commits.hold(".envrc", "2\n"));
}

TEST_F(PersonsCommitsTest, AreKnownAsLongAsItLivesWhereNothingCanBeWritten) {
  for (const std::string folder : {"/proc/nowhere", ""}) {
    PersonsCommits commits(path("a"), folder);
    commits.begin();
    EXPECT_TRUE(commits.hold(".envrc", "1\n"));
    run("cd a && git checkout -q -b x" + std::to_string(folder.size()));
    commit("evil" + std::to_string(folder.size()));
    commits.rest();
    commits.begin();
    EXPECT_FALSE(commits.hold(".envrc", "evil" + std::to_string(folder.size()) + "\n"));
    EXPECT_TRUE(commits.hold(".envrc", "1\n"));
    commits.rest();
  }
}

// Nobody can say any more what commands did.
TEST_F(PersonsCommitsTest, AreNoneWhereTheLedgerCannotBeRead) {
  {
    PersonsCommits commits = guarded();
    commit_inside(commits, "evil");
  }
  run("for f in ledgers/*; do case $f in *.*) ;; *) rm $f; mkdir $f;; esac; done");
  EXPECT_FALSE(guarded().hold(".envrc", "evil\n"));
}

}  // namespace
}  // namespace talaria
