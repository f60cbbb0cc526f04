#include "guard/workspace_guard_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(WorkspaceGuardTest, OrdinaryWorkLeavesNothingToJudge) {
  start();
  shell(
      "mkdir -p src/deep && echo x > src/deep/x.c && git add . && git commit -q -m two && git checkout -q -b other && "
      "git stash -q || true; git gc -q; git tag v1; git worktree add -q wt; git init -q inner; git clone -q . copy; "
      "git init -q --bare bare");
  EXPECT_THAT(judged(), IsEmpty());
  EXPECT_TRUE(there("inner/.git/config"));
  EXPECT_TRUE(there("wt/.git"));
}

TEST_F(WorkspaceGuardTest, ANewCommonDirectoryIsTakenAway) {
  start();
  shell(
      "mkdir evil; cp -r .git/. evil/; git config -f evil/config core.fsmonitor 'touch PWNED; false'; echo ../evil > "
      ".git/commondir");
  EXPECT_THAT(judged(), ElementsAre("quarantined .git/commondir", "rewritten evil/config"));
  EXPECT_FALSE(there(".git/commondir"));
  shell("git status > /dev/null; git -C evil status > /dev/null 2>&1 || true; test ! -e PWNED");
  EXPECT_THAT(judged(), IsEmpty());
}

TEST_F(WorkspaceGuardTest, AChangedConfigOfTheRepositoryIsPutBack) {
  start();
  const std::string before = content(".git/config");
  shell("git config core.fsmonitor 'touch PWNED; false'");
  EXPECT_THAT(judged(), ElementsAre("put_back .git/config"));
  EXPECT_EQ(content(".git/config"), before);
  EXPECT_THAT(judged(), IsEmpty());
}

TEST_F(WorkspaceGuardTest, ThePersonMayChangeHarmlessSettingsWhileCommandsRun) {
  start();
  shell("git remote add origin https://example.org/x.git; git config user.name B; git branch -q b");
  EXPECT_THAT(judged(), IsEmpty());
  EXPECT_NE(content(".git/config").find("example.org"), std::string::npos);
  shell("git remote set-url origin https://evil.example/x.git");
  EXPECT_THAT(judged(), ElementsAre("put_back .git/config"));
  EXPECT_NE(content(".git/config").find("example.org"), std::string::npos);
}

TEST_F(WorkspaceGuardTest, WhatAMountKeepsIsChangedByThePersonOnly) {
  shell("mkdir -p .claude; echo {} > .claude/settings.json");
  start({}, {".git/hooks", ".claude"});
  shell("echo true > .git/hooks/pre-commit; echo '{\"a\": 1}' > .claude/settings.json; echo {} > .claude/new.json");
  EXPECT_THAT(judged(), IsEmpty());
  EXPECT_TRUE(there(".git/hooks/pre-commit"));
  shell("mv .git/hooks h; mkdir .git/hooks; echo false > .git/hooks/pre-push");
  judged();
  EXPECT_FALSE(there(".git/hooks/pre-push"));
}

TEST_F(WorkspaceGuardTest, NewHooksAreTakenAway) {
  shell("rm -rf .git/hooks");
  start();
  shell(
      "mkdir .git/hooks; echo touch PWNED > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git init -q new; "
      "echo touch PWNED > new/.git/hooks/post-checkout");
  judged();
  EXPECT_FALSE(there(".git/hooks/pre-commit"));
  EXPECT_FALSE(there("new/.git/hooks/post-checkout"));
}

TEST_F(WorkspaceGuardTest, NewDangerousNamesAreTakenAwayAtAnyDepth) {
  start();
  shell(
      "mkdir -p a1/b/c; echo evil > a1/b/c/.envrc; mkdir .claude; echo {} > .claude/settings.json; mkdir .vscode; echo "
      "{} > .vscode/tasks.json; echo {} > .vscode/settings.json; ln -s /etc a1/.cursor; for i in $(seq 300); do mkdir "
      "d$i; echo e > d$i/.envrc; done");
  EXPECT_EQ(judged().size(), 201U);  // as many as are listed, and how many more there are
  for (const char* path :
       {"a1/b/c/.envrc", ".claude", ".vscode/tasks.json", "a1/.cursor", "d1/.envrc", "d300/.envrc"}) {
    EXPECT_FALSE(there(path)) << path;
  }
  EXPECT_TRUE(there(".vscode/settings.json"));
}

TEST_F(WorkspaceGuardTest, AFolderThatIsMovedInIsLookedThrough) {
  start();
  shell("mkdir -p x/y/z; echo evil > x/y/z/.envrc; mv x moved; mkdir -p n/m; mv moved n/m/");
  EXPECT_THAT(judged(), ElementsAre("quarantined n/m/moved/y/z/.envrc"));
}

TEST_F(WorkspaceGuardTest, WhatWasThereIsPutBack) {
  shell("echo good > .envrc; ln -s src .vscode; mkdir .claude; echo {} > .claude/settings.json");
  start();
  shell(
      "echo evil > .envrc; echo evil > .claude/settings.json; rm .vscode; mkdir .vscode; echo evil > "
      ".vscode/tasks.json");
  // A folder in the place of a link is harmless, what is in it is not.
  EXPECT_THAT(judged(),
              ElementsAre("put_back .claude/settings.json", "put_back .envrc", "quarantined .vscode/tasks.json"));
  EXPECT_EQ(content(".envrc"), "good\n");
  EXPECT_EQ(content(".claude/settings.json"), "{}\n");
}

TEST_F(WorkspaceGuardTest, AWriteThroughAnotherNameIsSeen) {
  shell("echo good > .envrc");
  start();
  shell("ln .envrc other; echo evil > other");
  EXPECT_THAT(judged(), ElementsAre("put_back .envrc"));
  EXPECT_EQ(content(".envrc"), "good\n");
  EXPECT_EQ(content("other"), "evil\n");
}

TEST_F(WorkspaceGuardTest, WhatACommitHasStays) {
  start([](const std::string& path, const std::string& content) { return path == ".envrc" && content == "good\n"; });
  shell("echo good > .envrc");
  EXPECT_THAT(judged(), ElementsAre("kept .envrc"));
  EXPECT_TRUE(there(".envrc"));
  EXPECT_THAT(judged(), IsEmpty());
  shell("echo evil > .envrc");
  EXPECT_THAT(judged(), ElementsAre("put_back .envrc"));
  EXPECT_EQ(content(".envrc"), "good\n");
}

TEST_F(WorkspaceGuardTest, WhatThePersonDoesBetweenCommandsIsTheirs) {
  start();
  shell("echo mine > .envrc; git config core.pager less; git init -q mine; git -C mine config core.fsmonitor true");
  guard_->absorb();
  EXPECT_THAT(judged(), IsEmpty());
  EXPECT_EQ(content(".envrc"), "mine\n");
}

TEST_F(WorkspaceGuardTest, AGitFileThatLeadsElsewhereIsTakenAway) {
  start();
  shell(
      "mkdir sub evil2; cp -r .git/. evil2/; git config -f evil2/config core.fsmonitor 'touch PWNED; false'; echo "
      "'gitdir: ../evil2' > sub/.git");
  judged();
  EXPECT_FALSE(there("sub/.git"));
  EXPECT_EQ(content("evil2/config").find("fsmonitor"), std::string::npos);
}

TEST_F(WorkspaceGuardTest, AnAncestorThatIsReplacedBringsNothingIn) {
  shell("mkdir sub; git init -q sub");
  start();
  shell("mv sub s2; cp -r s2 sub; git -C sub config core.fsmonitor 'touch PWNED; false'");
  judged();
  EXPECT_EQ(content("sub/.git/config").find("fsmonitor"), std::string::npos);
  EXPECT_EQ(content("s2/.git/config").find("fsmonitor"), std::string::npos);
}

TEST_F(WorkspaceGuardTest, NothingIsMissedWhenTheKernelLosesEvents) {
  start();
  shell("mkdir many; cd many; seq 40000 | xargs touch; cd ..; mkdir -p deep/er; echo evil > deep/er/.envrc");
  EXPECT_THAT(judged(), ElementsAre("quarantined deep/er/.envrc"));
}

}  // namespace
}  // namespace talaria
