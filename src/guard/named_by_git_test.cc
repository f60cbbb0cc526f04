#include "guard/named_by_git.h"

#include "guard/workspace_guard_trial.h"
#include "guard/write_danger.h"

namespace talaria {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// What a person's files name, and what the guard makes of it.
class NamedByGitTest : public WorkspaceGuardTest {
 protected:
  void SetUp() override {
    WorkspaceGuardTest::SetUp();
    ASSERT_TRUE(make_directories(home()));
  }
  void global(const std::string& setting, const std::string& value) const {
    shell("git config -f " + home() + "/.gitconfig " + setting + " '" + value + "'");
  }
  NamedByGit named(std::vector<std::string> roots = {""}) const {
    return find_named_by_git({workspace(), home(), std::move(roots)});
  }
  std::string refusal(const std::string& path) const {
    return danger_of_writing({workspace(), folder_ + "/quarantine", "session", {}, {}, home()},
                             workspace() + "/" + path);
  }
};

TEST_F(NamedByGitTest, ANewRepositoryNamesNothing) { EXPECT_THAT(named().paths, IsEmpty()); }

TEST_F(NamedByGitTest, ProgramsOfSettingsAreNamed) {
  shell(
      "git config filter.x.clean ./run.sh; git config diff.external \"$PWD/tools/differ --color\"; git config alias.x "
      "'!sh tools/alias'; git config core.fsmonitor tools/monitor; git config core.pager less; git config user.name B");
  EXPECT_THAT(named().paths, ElementsAre("run.sh", "tools/alias", "tools/differ", "tools/monitor"));
  EXPECT_THAT(named().anywhere, IsEmpty());
}

TEST_F(NamedByGitTest, HooksPathsAndIncludesAreNamed) {
  shell("mkdir -p conf; printf '[include]\\n path = deeper\\n' > conf/shared");
  shell("git config core.hooksPath githooks; git config include.path ../conf/shared");
  EXPECT_THAT(named().paths, ElementsAre("conf/deeper", "conf/shared", "githooks"));
}

TEST_F(NamedByGitTest, AFileThatIncludesItselfIsReadOnlySoOften) {
  shell("for i in $(seq 50); do printf '[include]\\n path = loop\\n'; done > loop; git config include.path ../loop");
  EXPECT_THAT(named().paths, ElementsAre("loop"));
}

TEST_F(NamedByGitTest, AHooksPathOfAllRepositoriesIsNamedEverywhere) {
  global("core.hooksPath", ".githooks");
  EXPECT_THAT(named().anywhere, ElementsAre(".githooks"));
  start();
  shell("git init -q inner; mkdir inner/.githooks; echo evil > inner/.githooks/pre-commit");
  EXPECT_THAT(judged(), ElementsAre("quarantined inner/.githooks"));
}

TEST_F(NamedByGitTest, SettingsThatLieInTheTreeAreNamed) {
  shell("mkdir -p dot/git; echo > dot/gitconfig; echo > dot/bash; ln -s ../work/dot/gitconfig " + home() +
        "/.gitconfig; mkdir " + home() + "/.config; ln -s ../../work/dot/git " + home() +
        "/.config/git; echo > dot/git/config; ln -s ../work/dot/bash " + home() + "/.bashrc");
  EXPECT_THAT(named().paths, UnorderedElementsAre("dot/bash", "dot/gitconfig", "dot/git/config"));
}

TEST_F(NamedByGitTest, ProgramsOfTheHomeThatLieInTheTreeAreNamed) {
  shell("mkdir -p " + home() + "/.local/bin " + home() + "/.config/systemd/user; echo > tool; echo > unit; ln -s " +
        workspace() + "/tool " + home() + "/.local/bin/git; ln -s " + workspace() + "/unit " + home() +
        "/.config/systemd/user/a.service");
  EXPECT_THAT(named().paths, UnorderedElementsAre("tool", "unit"));
}

// In a linked worktree or a submodule: what is named counts from there.
TEST_F(NamedByGitTest, WhereGitIsAFileNamesAreHeldFromTheFirstCommandOn) {
  shell(
      "mkdir .git/modules; git init -q --separate-git-dir=.git/modules/sub sub; git -C sub config core.hooksPath "
      ".githooks; "
      "mkdir sub/.githooks; echo good > sub/.githooks/pre-commit");
  start();
  shell("echo evil > sub/.githooks/pre-commit");
  EXPECT_THAT(judged(), ElementsAre("put_back sub/.githooks/pre-commit"));
}

TEST_F(NamedByGitTest, HundredsOfRepositoriesHideNone) {
  shell(
      "for i in $(seq 160); do mkdir -p !$i/.git/objects !$i/.git/refs; echo 'ref: refs/heads/m' > !$i/.git/HEAD; "
      "echo > !$i/.git/config; done; git init -q inner; git -C inner config core.hooksPath .githooks");
  start();
  shell("mkdir inner/.githooks; echo evil > inner/.githooks/pre-commit");
  EXPECT_THAT(judged(), ElementsAre("quarantined inner/.githooks"));
}

TEST_F(NamedByGitTest, HooksThatLeadIntoTheTreeAreNamed) {
  shell(
      "mkdir scripts; echo > scripts/lint; chmod +x scripts/lint; echo > notes.txt; ln -s ../../scripts/commit "
      ".git/hooks/pre-commit; printf '#!/bin/sh\\nscripts/lint notes.txt\\nnode checks/run.js\\nmake test\\n' > "
      ".git/hooks/pre-push");
  EXPECT_THAT(named().paths, ElementsAre("checks/run.js", "scripts/commit", "scripts/lint"));
}

TEST_F(NamedByGitTest, SettingsOfKnownHookProgramsAreNamed) {
  shell("echo 'exec pre-commit hook-impl --config=.pre-commit-config.yaml' > .git/hooks/pre-commit");
  EXPECT_THAT(named().paths, ElementsAre(".pre-commit-config.yaml"));
  shell("echo 'lefthook run pre-commit; node_modules/.bin/x' > .git/hooks/pre-commit");
  EXPECT_THAT(named().paths, Contains("lefthook.yml"));
  EXPECT_THAT(named().paths, Not(Contains("node_modules/.bin/x")));
}

TEST_F(NamedByGitTest, WhatIsNamedIsHeld) {
  shell(
      "mkdir tools conf; echo good > tools/d; echo > conf/c; git config core.fsmonitor tools/d; git config "
      "include.path "
      "../conf/c; git config core.hooksPath hooks");
  start();
  shell("echo evil > tools/d; echo '[core]' > conf/c; mkdir hooks; echo evil > hooks/pre-commit; echo fine > other");
  EXPECT_THAT(judged(), ElementsAre("put_back conf/c", "put_back tools/d", "quarantined hooks"));
  EXPECT_EQ(content("tools/d"), "good\n");
  shell("mv tools t; ln -s t2 tools; mkdir t2; echo evil > t2/d");
  EXPECT_THAT(judged(), ElementsAre("quarantined tools"));
}

TEST_F(NamedByGitTest, WhatThePersonNamesLaterIsHeldFromTheNextCommandOn) {
  shell("echo good > run.sh");
  start();
  shell("echo better > run.sh");
  EXPECT_THAT(judged(), IsEmpty());
  shell("git config core.fsmonitor ./run.sh");
  guard_->absorb();
  shell("echo evil > run.sh");
  EXPECT_THAT(judged(), ElementsAre("put_back run.sh"));
  EXPECT_EQ(content("run.sh"), "better\n");
}

// Between the look into a new folder and the moment it is remembered, nothing can be slipped in.
TEST_F(NamedByGitTest, AnEmptyFolderUnderADangerousNameIsNotATrustedOne) {
  start();
  shell("mkdir .husky");
  (void)guard_->judge(Look::hasty);
  shell("mkdir .husky/_; echo evil > .husky/_/pre-commit; echo evil > .husky/pre-commit");
  (void)judged();
  EXPECT_FALSE(there(".husky/pre-commit"));
  EXPECT_FALSE(there(".husky/_/pre-commit"));
}

TEST_F(NamedByGitTest, WritingWhatIsNamedIsRefused) {
  shell("git config core.hooksPath hooks; mkdir sub; git init -q sub; git -C sub config core.fsmonitor bin/x");
  EXPECT_EQ(refusal("a"), "");
  EXPECT_EQ(refusal("deep/er/a"), "");
  EXPECT_NE(refusal("hooks/pre-commit"), "");
  EXPECT_NE(refusal("sub/bin/x"), "");
  EXPECT_EQ(refusal("bin/x"), "");
  EXPECT_NE(refusal(".envrc"), "");
  EXPECT_NE(refusal(".git/config"), "");
  EXPECT_NE(refusal("sub/.git"), "");
  EXPECT_EQ(refusal(".git/description"), "");
  EXPECT_NE(refusal(".git/rebase-merge/git-rebase-todo"), "");
  EXPECT_NE(refusal(".git/worktrees/w/sequencer/todo"), "");
}

TEST_F(NamedByGitTest, ARepositoryIsNotWrittenFileByFile) {
  shell("mkdir -p bare/refs; git init -q --bare whole");
  EXPECT_EQ(refusal("bare/HEAD"), "");
  EXPECT_EQ(refusal("bare/config"), "");
  shell("echo 'ref: refs/heads/main' > bare/HEAD");
  EXPECT_NE(refusal("bare/objects/x"), "");
  EXPECT_NE(refusal("bare/commondir"), "");
  EXPECT_EQ(refusal("bare/config"), "");
  EXPECT_NE(refusal("whole/config"), "");
  EXPECT_NE(refusal("whole/hooks/pre-receive"), "");
  EXPECT_EQ(refusal("whole/description"), "");
}

}  // namespace
}  // namespace talaria
