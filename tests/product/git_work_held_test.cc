// Work that touches the names which are held: they follow git as far as the person's own commits go.
#include <gmock/gmock.h>

#include "product/git_work.h"

namespace talaria {
namespace {

// Two branches that differ in files of every class. The workspace is on `one`.
constexpr const char* kTwoBranches = R"(git checkout -q -b one; mkdir .vscode .husky; echo one > .envrc
echo '{"version": "1"}' > .vscode/tasks.json; echo '{"a": 1}' > .vscode/settings.json; echo '* text=auto' > .gitattributes
printf '#!/bin/sh\n# one\n' > .husky/pre-commit; chmod +x .husky/pre-commit; echo '{"name": "one"}' > package.json
printf '[submodule "s"]\npath = s\nurl = ./one\n' > .gitmodules; git add -f .; git commit -q -m 'on one'
git checkout -q -b two; for f in .envrc .vscode/tasks.json .vscode/settings.json .husky/pre-commit package.json \
  .gitmodules
do sed -i 's/one/two/; s/1/2/' $f; done; echo two > two; git add -f .; git commit -q -m 'on two'; git checkout -q one)";

constexpr const char* kIsTwo =
    "[ -z \"$(git status --porcelain -uno)\" ] && grep -q two .envrc && grep -q 2 .vscode/tasks.json && grep -q two "
    ".husky/pre-commit && grep -q two .gitmodules";

const std::vector<WorkInside>& work_over_held_names() {
  static const std::vector<WorkInside> rows = {
      {"checkout", kTwoBranches, "git checkout -q two; cat two", kIsTwo},
      {"checkout and back", kTwoBranches, "git checkout -q two; git checkout -q one; git checkout -q two", kIsTwo},
      {"merge of the other branch", kTwoBranches, "git merge -q two", kIsTwo},
      {"reset --hard", kTwoBranches, "git reset -q --hard two", kIsTwo},
      {"rebase onto the other branch", kTwoBranches, "echo n > n; git add n; git commit -q -m n; git rebase -q two",
       kIsTwo},
      {"restore of single files", kTwoBranches, "git restore --source=two -- .vscode/settings.json package.json",
       "grep -q two package.json"},
      {"stash beside them", kTwoBranches, "echo 9 > a; git stash -q; git checkout -q two; git stash pop -q",
       "grep -qx 9 a && grep -q two .envrc"},
      {"worktree of the other branch", kTwoBranches, "git worktree add -q wt two; cat wt/.envrc",
       "cd wt && grep -q two .envrc"},
      {"cherry-pick of the other branch", kTwoBranches, "git cherry-pick two", kIsTwo},
      {"bisect over them", kTwoBranches,
       "git checkout -q two; git bisect start two main; git bisect run true || true; git bisect reset", kIsTwo},
      {"rebase that runs a command", "",
       "git commit -q --allow-empty -m e; git rebase -q --exec 'echo x >> ran' HEAD~2; grep -c x ran", "[ -s ran ]"},
  };
  return rows;
}

TEST_F(GitWorkTest, BranchesThatDifferInHeldNames) { expect_done(work_over_held_names()); }

TEST_F(GitWorkTest, AnUpstreamThatCannotBeSetSaysHowToAllowIt) {
  for (const char* work : {"git push -u . HEAD:refs/heads/x", "git branch -u side", "git sparse-checkout set sub"}) {
    const std::string folder = begin({.name = work, .before = "", .inside = {}});
    const JsonObject result = inside(folder, work);
    EXPECT_THAT(text_of(result), testing::AllOf(testing::HasSubstr(".git/config"), testing::HasSubstr("host=gateway")))
        << work;
  }
}

TEST_F(GitWorkTest, ASessionInASubmoduleCommits) {
  const std::string folder = begin(
      {.name = "submodule",
       .before = "git -c protocol.file.allow=always submodule --quiet add ./sub/inner part; git commit -q -m part",
       .inside = {},
       .session = "w/part"});
  const JsonObject result = inside(folder,
                                   "set -e; echo n > n; git add n; git commit -q -m n; git checkout -q -b other; git "
                                   "rebase -q HEAD~1; git stash -q || true; git log -1 --format=%s");
  EXPECT_EQ(text_of(result), "n\n") << write_json(result);
}

}  // namespace
}  // namespace talaria
