// What a sandboxed command leaves in the workspace is run by nobody outside: each attempt is judged by the person's own
// git on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class LeftBehindTest : public testing::Test {
 protected:
  void SetUp() override {
    host(
        "git init -q -b main . && git config user.email a@b.c && git config user.name A && mkdir sub && echo 1 > a && "
        "echo 2 > sub/b && git add . && git commit -q -m one && git init -q sub/inner");
  }

  // In the workspace, as the person.
  void host(const std::string& command) const {
    const std::string all = "cd " + house_.workspace() + " && export HOME=" + house_.root() +
                            " GIT_CONFIG_NOSYSTEM=1 && (" + command + ") >/dev/null 2>&1";
    ASSERT_EQ(std::system(all.c_str()), 0) << command;
  }
  // What a person does all day; nothing of it may run what was left. That a repository is broken is no harm.
  void expect_nothing_runs() const {
    for (const char* folder : {".", "sub", "sub/inner", "evil", "new"}) {
      const std::string in = "cd " + std::string(folder) + " 2>/dev/null || exit 0; ";
      for (const char* work : {"git status", "git diff", "git log -1", "git fetch", "git commit --allow-empty -m x",
                               "git checkout -b t$RANDOM", "git stash"}) {
        host(in + work + "; true");
      }
    }
    EXPECT_FALSE(exists(house_.workspace() + "/PWNED"));
    EXPECT_FALSE(exists(house_.root() + "/PWNED"));
  }
  std::string pwn() const { return "touch " + house_.workspace() + "/PWNED"; }
  bool there(const std::string& path) const { return exists(house_.workspace() + "/" + path); }
  // Of the repository in our workspace.
  int folders_that_look_into_commits() const {
    int count = 0;
    const Result<std::vector<std::string>> names = list_directory("/tmp");
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (!name.starts_with("talaria-git-")) continue;
      const Result<std::string> objects = read_file("/tmp/" + name + "/objects/info/alternates");
      count += objects && objects->find(house_.workspace() + "/") != std::string::npos;
    }
    return count;
  }

  House house_;
};

TEST_F(LeftBehindTest, ACommonDirectoryThatIsNewIsGoneWithTheResult) {
  const JsonObject result = house_.exec("mkdir evil; cp -r .git/. evil/; git config -f evil/config core.fsmonitor '" +
                                        pwn() + "; false'; echo ../evil > .git/commondir");
  EXPECT_FALSE(there(".git/commondir"));
  EXPECT_THAT(text_of(result), HasSubstr("talaria sandbox quarantine list"));
  EXPECT_TRUE(details_of(result).contains("violations")) << write_json(details_of(result));
  expect_nothing_runs();
  const Ran list = house_.run({"sandbox", "quarantine", "list"});
  EXPECT_THAT(list.out, HasSubstr("commondir"));
}

TEST_F(LeftBehindTest, APersonIsToldToo) {
  const Ran ran = house_.run({"exec", "echo evil > .envrc; echo said"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "said\n");
  EXPECT_EQ(ran.err,
            "talaria: the command left something that other programs would run outside the sandbox: .envrc. It was "
            "moved away or changed back; to look at it: talaria sandbox quarantine list\n");
  const Ran failed = house_.run({"exec", "echo evil > .envrc; kill -KILL $$"});
  EXPECT_EQ(failed.code, 137);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("SIGKILL"), HasSubstr("would run outside the sandbox: .envrc")));
  EXPECT_EQ(house_.run({"exec", "true"}).err, "");
}

TEST_F(LeftBehindTest, AProgramsResultNamesIt) {
  const JsonObject result =
      house_.call("execute_code", {{"code", "open('.envrc', 'w').write('evil')\nprint('said')"}, {"yieldMs", 0}});
  EXPECT_TRUE(details_of(result).contains("violations")) << write_json(result);
  EXPECT_THAT(text_of(result), AllOf(StartsWith("said\n\n(Moved out of the workspace"), HasSubstr(".envrc (direnv")));
}

TEST_F(LeftBehindTest, AJobThatRunsOnTellsWhatWasFoundSoFar) {
  const JsonObject begun = house_.exec("echo evil > .envrc; cat", {{"background", true}, {"pty", true}});
  const std::string job = text_or(details_of(begun), "sessionId");
  JsonObject polled;
  await("the violation of a job that runs", [&] {
    polled = house_.call("process", {{"action", "poll"}, {"sessionId", job}});
    return details_of(polled).contains("violations");
  });
  EXPECT_EQ(text_or(details_of(polled), "status"), "running");
  EXPECT_THAT(text_of(polled), AllOf(HasSubstr("Command still running."), HasSubstr("the sandbox: .envrc (direnv")));
  const JsonObject listed = house_.call("process", {{"action", "list"}});
  EXPECT_THAT(write_json(details_of(listed)), HasSubstr(R"("path":".envrc")"));
  house_.call("process", {{"action", "kill"}, {"sessionId", job}});
}

TEST_F(LeftBehindTest, GitThatMayNotWriteItsFilesIsExplained) {
  EXPECT_THAT(text_of(house_.exec("git remote add origin https://example.org/x")),
              HasSubstr("In the sandbox .git/config, .git/hooks and .git/info of a repository"));
}

TEST_F(LeftBehindTest, AReplacedAncestorBringsNoProgram) {
  house_.exec("mv sub s2; cp -r s2 sub; git -C sub/inner config core.fsmonitor '" + pwn() + "; false'");
  expect_nothing_runs();
}

TEST_F(LeftBehindTest, NewRepositoriesHaveHarmlessSettingsOnly) {
  const JsonObject result = house_.exec("git init -q new; git -C new config core.fsmonitor '" + pwn() +
                                        "; false'; git -C new config user.name B; printf '#!/bin/sh\\n" + pwn() +
                                        "\\n' > new/.git/hooks/post-checkout; chmod +x new/.git/hooks/post-checkout");
  expect_nothing_runs();
  EXPECT_TRUE(there("new/.git/config"));
  EXPECT_FALSE(there("new/.git/hooks/post-checkout")) << text_of(result);
}

TEST_F(LeftBehindTest, DangerousNamesAreGoneAlsoAmongManyDecoys) {
  house_.exec(
      "for i in $(seq 300); do mkdir d$i; echo evil > d$i/.envrc; done; mkdir x; echo evil > x/.envrc; ln -s x "
      ".vscode; echo evil > x/tasks.json; mkdir .claude; echo {} > .claude/settings.json; echo {} > .mcp.json");
  for (const char* path : {"d1/.envrc", "d300/.envrc", "x/.envrc", ".vscode/tasks.json", ".claude", ".mcp.json"}) {
    EXPECT_FALSE(there(path)) << path;
  }
  EXPECT_TRUE(there("d300"));
}

TEST_F(LeftBehindTest, ABackgroundJobsLeavingsAreGoneWhileItRuns) {
  const JsonObject job =
      house_.exec("echo evil > .envrc; echo ../evil > .git/commondir; sleep 60", {{"background", true}});
  await("the file to be taken away", [&] {
    return house_.run({"sandbox", "quarantine", "list"}).out.find("commondir") != std::string::npos &&
           !there(".git/commondir") && !there(".envrc");
  });
  EXPECT_EQ(status_of(house_.process("poll", id_of(job))), "running");
}

// Each time the host replaces the file, the mount over it falls off for the job.
TEST_F(LeftBehindTest, AJobThatFightsForTheHostsSettingsIsStopped) {
  const JsonObject job = house_.exec("while :; do cp .git/config c; git config -f c core.fsmonitor '" + pwn() +
                                         "; false'; cat c > .git/config; done 2>/dev/null",
                                     {{"background", true}});
  int number = 0;
  await("the job to be stopped", [&] {
    host("git config user.name N" + std::to_string(++number) + "; git commit -q --allow-empty -m x; true");
    return status_of(house_.process("poll", id_of(job))) != "running";
  });
  const JsonObject ended = house_.process("poll", id_of(job));
  const JsonObject* stop = object_or_null(details_of(ended), "stopped_by");
  ASSERT_TRUE(stop) << write_json(ended);
  EXPECT_EQ(text_or(*stop, "limit"), "guarded_files");
  Result<std::string> config = read_file(house_.workspace() + "/.git/config");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->find("fsmonitor"), std::string::npos);
}

// What is taken away and made again at once is there most of the time, whoever looks.
TEST_F(LeftBehindTest, AJobThatMakesAgainWhatWasTakenAwayIsStopped) {
  host("mkdir .husky; git config core.hooksPath .husky; rm -rf .git/hooks");
  for (const std::string plant :
       {"echo ../evil > .git/commondir", "mkdir .git/hooks && echo evil > .git/hooks/pre-commit",
        "echo evil > .husky/pre-commit", "echo evil > .envrc"}) {
    const JsonObject job = house_.exec("while :; do " + plant + "; done 2>/dev/null", {{"background", true}});
    const JsonObject ended = house_.process("wait", id_of(job), {{"timeout", 60'000}});
    const JsonObject* stop = object_or_null(details_of(ended), "stopped_by");
    ASSERT_TRUE(stop) << plant << write_json(ended);
    EXPECT_EQ(text_or(*stop, "limit"), "guarded_files") << plant;
  }
  for (const char* path : {".git/commondir", ".git/hooks", ".husky/pre-commit", ".envrc"}) {
    EXPECT_FALSE(there(path)) << path;
  }
}

TEST_F(LeftBehindTest, WhatThePersonMakesBetweenCommandsStays) {
  house_.exec("true");
  host("echo mine > .envrc; git config core.pager less; mkdir .claude; echo {} > .claude/settings.json");
  const JsonObject result = house_.exec("cat .envrc");
  EXPECT_EQ(text_of(result), "mine\n");
  EXPECT_FALSE(details_of(result).contains("violations"));
  EXPECT_TRUE(there(".claude/settings.json"));
}

TEST_F(LeftBehindTest, GitsOwnWorkIsNoViolation) {
  const std::string apply_patch = "git format-patch -1 --stdout > p; git am -q p || git am --abort";
  for (const std::string& work :
       {std::string("git init -q n1"), std::string("git clone -q . n2"),
        std::string("echo 3 > a; git commit -q -am two"), std::string("git checkout -q -b other"),
        std::string("git stash || true"), std::string("git worktree add -q wt"),
        std::string("git -C wt commit -q --allow-empty -m x"), std::string("git gc -q"),
        std::string("git rebase -q HEAD~1"), std::string("git init -q --bare n3"), std::string("git tag v1"),
        apply_patch}) {
    const JsonObject result = house_.exec(work);
    EXPECT_FALSE(details_of(result).contains("violations")) << work << ": " << write_json(details_of(result));
  }
}

TEST_F(LeftBehindTest, TheFileToolsRefuseWhatWouldRunOutside) {
  for (const char* path :
       {".envrc", ".git/commondir", "sub/.git", ".git/hooks/pre-commit", "x/.claude/settings.json"}) {
    const JsonObject result = house_.call("write_file", {{"path", path}, {"content", "evil"}});
    EXPECT_TRUE(boolean_or(result, "isError")) << path << ": " << write_json(result);
    EXPECT_FALSE(there(path)) << path;
    EXPECT_THAT(text_of(result), HasSubstr("That would be outside the sandbox, so this session may not write it"));
  }
  house_.call("write_file", {{"path", "sub/plain"}, {"content", "fine"}});
  EXPECT_TRUE(there("sub/plain"));
}

TEST_F(LeftBehindTest, AHeldFileOfACommitStaysAndNothingInTheTemporaryFolder) {
  host(
      "echo one > .envrc; git add .envrc; git commit -q -m env; git checkout -q -b without; git rm -q .envrc; git "
      "commit "
      "-q -m without");
  house_.exec("git checkout -q main");
  EXPECT_TRUE(there(".envrc"));
  // What the guard made to look into commits goes with it.
  EXPECT_GT(folders_that_look_into_commits(), 0);
  ASSERT_EQ(house_.run({"serve", "--stop", "--end-jobs"}).code, 0);
  await("the guard's folder to go", [&] { return folders_that_look_into_commits() == 0; });
}

}  // namespace
}  // namespace talaria
