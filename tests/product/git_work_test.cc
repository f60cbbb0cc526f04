// Real work with git and its neighbours still works inside although so many names are guarded: each row is a command of
// everyday in an existing repository, judged by its exit code, by what the guard took, and by the person afterwards.
#include "product/git_work.h"

#include <gmock/gmock.h>

namespace talaria {
namespace {

const std::vector<WorkInside>& git_work() {
  static const std::vector<WorkInside> rows = {
      {"init", "", "git init -q n; cd n; echo 1 > f; git add f; git commit -q -m f", "git -C n fsck"},
      {"clone", "", "git clone -q . n; cd n; echo 1 > f; git add f; git commit -q -m f; git push -q origin HEAD:pushed",
       "git log -1 --format=%s pushed | grep -qx f"},
      {"bare clone", "", "git clone -q --bare . n.git; git --git-dir=n.git log -1", "git --git-dir=n.git fsck"},
      {"commit", "", "echo 9 > a; git commit -q -am nine; git log -1 --format=%s",
       "git log -1 --format=%s | grep -qx nine"},
      {"amend", "", "git commit -q --amend -m other", "git log -1 --format=%s | grep -qx other"},
      {"checkout of a branch", "", "git checkout -q side; cat a | grep -qx 1", "git status | grep -q side"},
      {"merge", "",
       "git checkout -q side; echo n > n; git add n; git commit -q -m n; git checkout -q main; git merge -q side -m "
       "merged",
       "git log -1 --format=%s | grep -qx merged"},
      {"merge with a conflict", "",
       "git checkout -q side; echo 7 > a; git commit -q -am seven; git checkout -q main; ! git merge -q side; echo "
       "both > a; "
       "git add a; git commit -q -m solved",
       "git log -1 --format=%s | grep -qx solved"},
      {"rebase", "", "git checkout -q side; echo n > n; git add n; git commit -q -m n; git rebase -q main",
       "git log -2 --format=%s | tr '\\n' ' ' | grep -qx 'n two '"},
      {"rebase by a list", "",
       "for i in 1 2 3; do echo $i > n$i; git add n$i; git commit -q -m n$i; done; GIT_SEQUENCE_EDITOR='sed -i "
       "2s/pick/squash/' "
       "GIT_EDITOR=true git rebase -q -i HEAD~3",
       "[ $(git rev-list --count HEAD) = 4 ] && [ -f n3 ]"},
      {"rebase with a conflict", "",
       "git checkout -q side; echo 7 > a; git commit -q -am seven; ! git rebase -q main; echo both > a; git add a; "
       "GIT_EDITOR=true git rebase --continue",
       "git log -1 --format=%s | grep -qx seven"},
      {"stash", "", "echo 9 > a; git stash -q; grep -qx 3 a; git stash pop -q; grep -qx 9 a",
       "git diff --quiet && exit 1; true"},
      {"stash with new files", "", "echo 9 > new; git stash -q -u; [ ! -e new ]; git stash pop -q; [ -e new ]",
       "[ -e new ]"},
      {"worktree add and remove", "",
       "git worktree add -q wt side; cd wt; echo n > n; git add n; git commit -q -m n; cd ..; "
       "git worktree remove wt",
       "git log -1 --format=%s side | grep -qx n && [ ! -e wt ]"},
      {"worktrees one after the other", "",
       "for i in 1 2 3 4 5 6; do git worktree add -q -b b$i wt$i; git -C wt$i commit -q --allow-empty -m $i; done",
       "for i in 1 2 3 4 5 6; do git -C wt$i status || exit 1; done"},
      {"worktree with rebase", "",
       "git worktree add -q wt side; cd wt; echo n > n; git add n; git commit -q -m n; git rebase -q main",
       "git -C wt log -1 --format=%s | grep -qx n"},
      {"submodule add in a new repository", "",
       "git init -q n; cd n; git -c protocol.file.allow=always submodule --quiet add ../sub/inner part; git commit -q "
       "-m part; "
       "cd ..; git clone -q n m; cd m; git -c protocol.file.allow=always submodule --quiet update --init; ls part/.git",
       "git -C n submodule status | grep -q '^ ' && git -C m submodule status | grep -q '^ '"},
      {"gc", "", "git gc -q", "git fsck"},
      {"am", "", "git format-patch -q -1 --stdout > p; git reset -q --hard HEAD~1; git am -q p",
       "git log -1 --format=%s | grep -qx two"},
      {"cherry-pick", "",
       "git checkout -q side; echo n > n; git add n; git commit -q -m n; git checkout -q main; git cherry-pick side",
       "git log -1 --format=%s | grep -qx n"},
      {"cherry-pick of several with a conflict", "",
       "git checkout -q side; echo 7 > a; git commit -q -am seven; echo n > n; git add n; git commit -q -m n; git "
       "checkout -q main; "
       "! git cherry-pick main..side; echo both > a; git add a; GIT_EDITOR=true git cherry-pick --continue",
       "git log -1 --format=%s | grep -qx n"},
      {"revert", "", "git revert --no-edit HEAD", "grep -qx 1 a"},
      {"bisect run", "",
       "for i in 1 2 3 4; do echo $i > n; git add n; git commit -q -m n$i; done; git bisect start HEAD HEAD~4; "
       "git bisect run sh -c '[ $(cat n) -lt 3 ]' | grep 'is the first bad commit'; git bisect reset",
       "git status | grep -q main"},
      {"sparse-checkout in a new clone", "", "git clone -q . n; cd n; git sparse-checkout set sub; ls",
       "[ -e n/sub/b ]"},
      {"tag", "", "git tag v1; git tag -a v2 -m two", "git tag | grep -q v2"},
      {"notes, describe, reflog, archive", "",
       "git notes add -m x; git tag v; git describe --tags; git reflog | grep -q two; git archive HEAD > t.tar",
       "[ -s t.tar ]"},
      {"mv, rm, clean, restore", "",
       "git mv a b; git rm -q sub/b; git commit -q -m moved; touch junk; git clean -q -f junk; echo x > b; git restore "
       "b",
       "grep -qx 3 b && [ ! -e junk ]"},
      {"a new git directory moved and removed", "",
       "git init -q n; mv n m; git -C m commit -q --allow-empty -m x; rm -rf m", "[ ! -e m ]"},
  };
  return rows;
}

const std::vector<WorkInside>& neighbouring_work() {
  static const std::vector<WorkInside> rows = {
      {"npm install of a package with scripts", "",
       "mkdir -p lib app; echo '{\"name\": \"lib\", \"version\": \"1.0.0\", \"scripts\": {\"postinstall\": \"touch "
       "ran\"}}' > lib/package.json; "
       "cd app; echo '{\"name\": \"app\", \"version\": \"1.0.0\"}' > package.json; npm install --offline --no-audit "
       "--no-fund ../lib; ls node_modules/lib",
       "[ -e app/package-lock.json ]"},
      {"venv and pip", "",
       "mkdir p; printf 'from setuptools import setup\\nsetup(name=\"p\", version=\"1\", py_modules=[\"p\"])\\n' > "
       "p/setup.py; echo 'x = 5' > p/p.py; "
       "/usr/bin/python3 -m venv --system-site-packages env; env/bin/pip install -q --no-index --no-build-isolation "
       "--no-deps ./p; "
       "env/bin/python -c 'import p; print(p.x)' | grep -qx 5",
       "[ -x env/bin/python ]"},
      {"make", "", "printf 'out: a\\n\\tcp a out\\n' > Makefile; make -s", "[ -e out ]"},
      {"cmake", "",
       "echo 'int main() { return 0; }' > m.c; printf 'cmake_minimum_required(VERSION 3.10)\\nproject(m "
       "C)\\nadd_executable(m m.c)\\n' > "
       "CMakeLists.txt; cmake -S . -B build >/dev/null; cmake --build build >/dev/null; ./build/m",
       "[ -x build/m ]"},
  };
  return rows;
}

TEST_F(GitWorkTest, GitWorks) { expect_done(git_work()); }

TEST_F(GitWorkTest, PackagesAndBuilds) { expect_done(neighbouring_work()); }

// What must change the settings of an existing repository is refused, and the words say how to do it.
TEST_F(GitWorkTest, WhatIsRefusedSaysHowToAllowIt) {
  constexpr const char* kSubmodule =
      "git -c protocol.file.allow=always submodule --quiet add ./sub/inner part; git commit -q -m part";
  for (const char* work : {"git remote add other /nowhere", "git config core.pager less",
                           "git -C part commit -q --allow-empty -m more; git submodule update"}) {
    const std::string folder = begin({.name = work, .before = kSubmodule, .inside = {}});
    const JsonObject result = inside(folder, work);
    EXPECT_NE(integer_or(details_of(result), "exitCode", -1), 0) << work;
    EXPECT_THAT(text_of(result), testing::AllOf(testing::HasSubstr("config"), testing::HasSubstr("host=gateway")))
        << work;
  }
}

TEST_F(GitWorkTest, ASessionInAWorktreeCommits) {
  const std::string folder =
      begin({.name = "worktree", .before = "git worktree add -q -b t @B@/tree", .inside = {}, .session = "tree"});
  const JsonObject result = inside(folder,
                                   "set -e; echo n > n; git add n; git commit -q -m n; git checkout -q -b other; git "
                                   "rebase -q HEAD~1; git stash -q || true; git log -1 --format=%s");
  EXPECT_EQ(text_of(result), "n\n") << write_json(result);
}

}  // namespace
}  // namespace talaria
