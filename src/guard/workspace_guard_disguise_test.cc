// Folders and links that look harmless, or hide among very many.
#include "guard/workspace_guard_trial.h"

namespace talaria {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

using DisguiseTest = WorkspaceGuardTest;

constexpr const char* bad_settings =
    "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tfsmonitor = evil\\n' > ";

// Git writes the text of a commit, an index or a log through a link, wherever it leads.
TEST_F(DisguiseTest, ALinkInAGitDirectoryIsTakenAway) {
  start();
  shell(
      "ln -sf config .git/COMMIT_EDITMSG; ln -s /elsewhere .git/FETCH_HEAD; mkdir -p .git/logs/refs/heads/x; "
      "ln -s /elsewhere .git/logs/refs/stash; ln -s /elsewhere .git/logs/refs/heads/x/y; mkfifo .git/MERGE_RR");
  EXPECT_THAT(judged(),
              ElementsAre("quarantined .git/COMMIT_EDITMSG", "quarantined .git/FETCH_HEAD", "quarantined .git/MERGE_RR",
                          "quarantined .git/logs/refs/heads/x/y", "quarantined .git/logs/refs/stash"));
}

TEST_F(DisguiseTest, ALinkOfThePersonsInAGitDirectoryStaysAsItIs) {
  shell("ln -s /mine .git/description; ln -s /mine .git/FETCH_HEAD");
  start();
  EXPECT_THAT(judged(), IsEmpty());
  shell("ln -sfn /other .git/FETCH_HEAD");
  EXPECT_THAT(judged(), ElementsAre("put_back .git/FETCH_HEAD"));
}

TEST_F(DisguiseTest, ALinkInARepositoryThatCommandsMadeIsTakenAway) {
  start();
  shell("git init -q n; cd n/.git; ln -s config COMMIT_EDITMSG; mkdir -p logs/refs; ln -s /elsewhere logs/refs/stash");
  EXPECT_THAT(judged(), ElementsAre("quarantined n/.git/COMMIT_EDITMSG", "quarantined n/.git/logs/refs/stash"));
  EXPECT_TRUE(there("n/.git/HEAD"));
}

// Nobody looks through objects, references and logs: a folder to work in must not lie there.
TEST_F(DisguiseTest, ALinkThatLeadsToWhatGitKeepsIsTakenAway) {
  start();
  shell(
      "mkdir .git/objects/p; ln -s .git/objects/p app; ln -s $PWD/.git/logs l; ln -s a b; ln -s .git/annex/x annexed");
  EXPECT_THAT(judged(), ElementsAre("quarantined app", "quarantined l"));
  EXPECT_TRUE(there("annexed"));
}

TEST_F(DisguiseTest, AFolderThatLooksLikeARepositoryForAWhileHidesNothing) {
  start();
  shell("mkdir -p k/objects k/refs; echo 'ref: refs/heads/m' > k/HEAD");
  EXPECT_THAT(judged(), IsEmpty());
  shell(
      "git init -q k/n; git -C k/n config core.fsmonitor evil; echo evil > k/.envrc; git init -q k/objects/o; "
      "git -C k/objects/o config core.fsmonitor evil");
  EXPECT_THAT(judged(), ElementsAre("quarantined k/.envrc", "rewritten k/n/.git/config"));
  shell("rm -r k/HEAD");
  EXPECT_THAT(judged(), ElementsAre("rewritten k/objects/o/.git/config"));
}

TEST_F(DisguiseTest, AnotherRepositoryInABareOneOfThePersonsIsJudged) {
  shell("git init -q --bare bare");
  start();
  shell("git init -q bare/s; git -C bare/s config core.fsmonitor evil; echo evil > bare/.envrc");
  EXPECT_THAT(judged(), ElementsAre("quarantined bare/.envrc", "rewritten bare/s/.git/config"));
}

// `git init` completes what is there, and keeps its settings and hooks.
TEST_F(DisguiseTest, HalfARepositoryIsJudgedToo) {
  start();
  shell(std::string("mkdir -p n/.git/objects n/.git/refs n/.git/hooks; echo evil > n/.git/hooks/pre-commit; ") +
        bad_settings + "n/.git/config");
  EXPECT_THAT(judged(), ElementsAre("quarantined n/.git/hooks/pre-commit", "rewritten n/.git/config"));
}

TEST_F(DisguiseTest, HalfARepositoryOfAnEarlierTimeIsNotThePersons) {
  shell(std::string("mkdir -p n/.git/objects n/.git/refs; ") + bad_settings + "n/.git/config");
  start();
  shell("echo 'ref: refs/heads/main' > n/.git/HEAD");
  EXPECT_THAT(judged(), ElementsAre("rewritten n/.git/config"));
}

TEST_F(DisguiseTest, ACrowdInAHeldFolderHidesNoHook) {
  shell("mkdir .husky; echo mine > .husky/README; git config core.hooksPath .husky");
  start();
  shell(
      "cd .husky; mkdir deep; cd deep; seq 21000 | xargs touch; cd ..; seq 300 | sed s/^/d/ | xargs mkdir; "
      "echo evil > pre-commit; echo evil > post-commit");
  (void)judged();
  EXPECT_FALSE(there(".husky/pre-commit"));
  EXPECT_FALSE(there(".husky/post-commit"));
  EXPECT_TRUE(there(".husky/README"));
}

TEST_F(DisguiseTest, ACrowdOfWorktreesHidesNoUnfinishedRebase) {
  shell("mkdir -p .git/worktrees/wt/rebase-merge; echo 'pick 1' > .git/worktrees/wt/rebase-merge/git-rebase-todo");
  start();
  shell("cd .git/worktrees; seq 4200 | sed s/^/d/ | xargs mkdir; echo 'exec evil' >> wt/rebase-merge/git-rebase-todo");
  EXPECT_THAT(judged(), Contains("rewritten .git/worktrees/wt/rebase-merge/git-rebase-todo"));
  EXPECT_EQ(content(".git/worktrees/wt/rebase-merge/git-rebase-todo"), "pick 1\n");
}

// Without an agent's settings, what the person refused it there is allowed.
TEST_F(DisguiseTest, WhatIsLockedIsBroughtBack) {
  shell("mkdir -p p/.claude/commands; echo deny > p/.claude/settings.json; echo do > p/.claude/commands/x.md");
  start();
  shell("rm -r p/.claude; rm .git/config");
  EXPECT_THAT(judged(), ElementsAre("put_back .git/config", "put_back p/.claude/commands/x.md",
                                    "put_back p/.claude/settings.json"));
  EXPECT_EQ(content("p/.claude/settings.json"), "deny\n");
  shell("rm -r p");
  EXPECT_THAT(judged(), IsEmpty());
}

TEST_F(DisguiseTest, WhatAStashBringsBackIsStillThePersons) {
  shell("echo v1 > .envrc; git add .envrc; git commit -qm envrc; echo v2 > .envrc");
  start([](const std::string& path, const std::string& content) { return path == ".envrc" && content == "v1\n"; });
  shell("git stash -q");
  EXPECT_THAT(judged(), ElementsAre("kept .envrc"));
  shell("git stash pop -q");
  EXPECT_THAT(judged(), ElementsAre("kept .envrc"));
  EXPECT_EQ(content(".envrc"), "v2\n");
  shell("echo v3 > .envrc");
  EXPECT_THAT(judged(), ElementsAre("put_back .envrc"));
}

TEST_F(DisguiseTest, LinksThatLeadOnAreFollowedToTheirEnd) {
  shell("mkdir cfg; echo good > cfg/env; ln -s cfg/env e2; ln -s e2 .envrc");
  start();
  shell("echo evil > cfg/env");
  EXPECT_THAT(judged(), ElementsAre("put_back cfg/env"));
}

}  // namespace
}  // namespace talaria
