// git inside the sandbox: all of everyday's work, and what of an existing repository stays as the person left it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

class GitInsideTest : public testing::Test {
 protected:
  GitInsideTest() {
    EXPECT_TRUE(write_file_atomically(house_.environment()["HOME"] + "/.gitconfig",
                                      "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n"
                                      "\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"));
  }
  // What the person does before, on the plain host.
  void before(const std::string& command) {
    const JsonObject result = house_.exec(command, {{"host", "gateway"}});
    ASSERT_EQ(integer_or(details_of(result), "exitCode", -1), 0) << text_of(result);
  }
  void make_repository() { before("git init -q . && echo one > file && git add file && git commit -qm one"); }
  int64_t code_of(const std::string& command) {
    const JsonObject result = house_.exec(command);
    return integer_or(details_of(result), "exitCode", -1);
  }
  std::string out(const std::string& command) {
    const JsonObject result = house_.exec(command);
    EXPECT_EQ(integer_or(details_of(result), "exitCode", -1), 0) << command << "\n" << text_of(result);
    return text_of(result);
  }
  std::string content(const std::string& name) {
    const Result<std::string> text = read_file(house_.workspace() + "/" + name);
    return text ? *text : "absent";
  }

  House house_;
};

TEST_F(GitInsideTest, ANewRepositoryIsMadeClonedAndBranched) {
  out("git init -q source && cd source && echo one > file && git add . && git commit -qm 'one by hand' && "
      "git branch side && git worktree add -q ../tree side");
  EXPECT_THAT(out("git -C source log --format='%an %s'"), "Ada one by hand\n");
  out("cd tree && echo two >> file && git commit -qam two && cd ../source && git merge -q side && git tag v1");
  out("git clone -q source copy && git -C copy remote add other /nowhere");
  EXPECT_EQ(out("cd copy && git log --format=%s && git remote && cat file"),
            "two\none by hand\norigin\nother\none\ntwo\n");
  out("cd copy && echo three > file && git stash -q && git stash pop -q && git commit -qam three && "
      "git push -q origin HEAD:pushed");
  EXPECT_EQ(out("git -C source log -1 --format=%s pushed"), "three\n");
  before("git -C source fsck --strict && git -C copy status --porcelain");
}

TEST_F(GitInsideTest, CommitsGoIntoAnExistingRepository) {
  make_repository();
  out("echo two > file && git add file && git commit -qm two && git branch side && git checkout -q side && "
      "git commit -q --allow-empty -m three && git checkout -q main && git merge -q side && git tag v1");
  EXPECT_EQ(out("git log --format=%s"), "three\ntwo\none\n");
  out("git rebase -q HEAD~1 && git reset -q --hard HEAD && git gc -q; git worktree add -q inner side2 2>/dev/null || "
      "git worktree add -q -b side2 inner && git -C inner commit -q --allow-empty -m four");
  before("git log -1 --format=%s side2 | grep -q four && git fsck");
}

TEST_F(GitInsideTest, WhatMakesGitRunThingsStaysAsItIs) {
  make_repository();
  const std::string config = content(".git/config");
  const JsonObject remote = house_.exec("git remote add other /nowhere");
  EXPECT_NE(integer_or(details_of(remote), "exitCode"), 0);
  EXPECT_THAT(text_of(remote), AllOf(HasSubstr("could not write config file .git/config"), HasSubstr("read-only"),
                                     HasSubstr("host=gateway")));
  const JsonObject set = house_.exec("git config core.fsmonitor /tmp/evil");
  EXPECT_NE(integer_or(details_of(set), "exitCode"), 0);
  EXPECT_THAT(text_of(set), HasSubstr("could not write config file .git/config"));
  const JsonObject hook = house_.exec("echo evil > .git/hooks/pre-commit");
  EXPECT_THAT(text_of(hook), HasSubstr(".git/hooks/pre-commit: Read-only file system"));
  for (const char* way : {"rm -f .git/config", "mv .git other", "mv .git/hooks other", "rm -rf .git/hooks",
                          "ln -sf /tmp/evil .git/hooks/pre-push", "sed -i s/false/true/ .git/config",
                          "cp -r .git g && rm -rf .git && mv g .git"}) {
    EXPECT_NE(code_of(way), 0) << way;
  }
  EXPECT_EQ(content(".git/config"), config);
  EXPECT_EQ(content(".git/hooks/pre-commit"), "absent");
}

TEST_F(GitInsideTest, HooksAndSubmodulesOfThePersonRun) {
  make_repository();
  before("printf '#!/bin/sh\\necho hook ran\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit");
  before(
      "git init -q ../part && git -C ../part commit -q --allow-empty -m part && "
      "git -c protocol.file.allow=always submodule --quiet add ../part part && git commit -qm submodule");
  EXPECT_THAT(out("git commit --allow-empty -m two 2>&1"), HasSubstr("hook ran\n"));
  EXPECT_THAT(out("git submodule status"), MatchesRegex(" [0-9a-f]+ part .*\n"));
  out("cd part && git commit -q --allow-empty -m inside && cd .. && git add part && git commit -qm 'part moves on'");
  EXPECT_NE(code_of("git -C part config core.fsmonitor /tmp/evil"), 0);
  before("git submodule status | grep -q '^ ' && git log -1 --format=%s | grep -q moves");
}

TEST_F(GitInsideTest, ALinkedWorktreeAsWorkspaceReachesItsRepository) {
  make_repository();
  const std::string home = house_.environment()["HOME"];
  before("git worktree add -q -b side " + home + "/tree");
  const Result<JsonObject> result = house_.connect().call_object(
      "tools/call", {{"name", "exec"},
                     {"arguments", JsonObject{{"command", "echo new > new && git add new && git commit -qm linked"}}},
                     {"client", "cli"},
                     {"session", JsonObject{{"cwd", home + "/tree"}}}});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(integer_or(details_of(*result), "exitCode", -1), 0) << text_of(*result);
  before("git log -1 --format=%s side | grep -q linked");
}

TEST_F(GitInsideTest, OtherProtectedNamesAreReadButNotChanged) {
  for (const char* name : {"deep/.mcp.json", ".mcp.json", ".vscode/mcp.json", "sub/.bashrc"}) {
    const std::string path = house_.workspace() + "/" + name;
    ASSERT_TRUE(make_directories(path.substr(0, path.rfind('/'))));
    ASSERT_TRUE(write_file_atomically(path, "mine\n", 0644));
  }
  ASSERT_TRUE(make_directories(house_.workspace() + "/.claude"));
  EXPECT_EQ(out("cat deep/.mcp.json .mcp.json .vscode/mcp.json sub/.bashrc"), "mine\nmine\nmine\nmine\n");
  for (const char* way :
       {"echo evil > deep/.mcp.json", "rm .mcp.json", "mv .vscode v", "echo x > .claude/settings.json",
        "mv sub/.bashrc x", "echo evil > new && mv -f new .mcp.json"}) {
    EXPECT_NE(code_of(way), 0) << way;
  }
  out("echo '{}' > .vscode/settings.json && mv deep/.mcp.json x 2>/dev/null || rm -f deep/none");
  EXPECT_EQ(content("deep/.mcp.json") + content(".mcp.json") + content("sub/.bashrc"), "mine\nmine\nmine\n");
}

TEST_F(GitInsideTest, FurtherNamesCanBeProtected) {
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/.env", "KEY=1\n", 0644));
  ASSERT_EQ(house_.run({"config", "set", "sandbox.protected", "[.env]"}).code, 0);
  EXPECT_NE(code_of("echo KEY=2 > .env"), 0);
  EXPECT_EQ(content(".env"), "KEY=1\n");
}

}  // namespace
}  // namespace talaria
