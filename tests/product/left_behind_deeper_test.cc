// More ways to leave something behind that runs outside: through what the person's own settings and links name, through
// a repository outside of the workspace, file by file, in great numbers, and without a guard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "os/file.h"
#include "os/proc.h"
#include "product/left_behind_attack.h"

namespace talaria {
namespace {

using LeftBehindDeeperTest = LeftBehindAttacksTest;

const LeftBehindAttack kSinglePlant = {.name = "planted", .before = "", .inside = {}, .absent = {".envrc"}};

TEST_F(LeftBehindDeeperTest, WhatThePersonsSettingsName) { expect_held(attacks_with_settings_of_the_person()); }

TEST_F(LeftBehindDeeperTest, TheRepositoryOfALinkedWorktree) { expect_held(attacks_on_outside_git_directories()); }

TEST_F(LeftBehindDeeperTest, SecondNamesLinksAndStrategies) { expect_held(attacks_with_links_and_strategies()); }

TEST_F(LeftBehindDeeperTest, ABareRepositoryFileByFile) {
  const std::string folder = begin(kSinglePlant);
  const std::string settings =
      "[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor=\"touch " + folder + "/PWNED;false\"\n";
  for (const auto& [path, content] : std::vector<std::pair<std::string, std::string>>{
           {"b/HEAD", "ref: refs/heads/m\n"}, {"b/objects/x", "x"}, {"b/refs/x", "x"}, {"b/config", settings}}) {
    house_.call_in(folder + "/w", "write_file", {{"path", path}, {"content", content}});
  }
  inside(folder, "mkdir -p c/objects c/refs; echo 'ref: refs/heads/m' > c/HEAD");
  house_.call_in(folder + "/w", "write_file", {{"path", "c/config"}, {"content", settings}});
  expect_nothing_runs(kSinglePlant, folder);
}

// The last of them is as dangerous as the first, so that a job gains no time by planting many.
TEST_F(LeftBehindDeeperTest, ManyAtOnce) {
  const std::string folder = begin(kSinglePlant);
  const JsonObject job =
      inside(folder, "for i in $(seq 1000); do mkdir t$i; echo evil > t$i/.envrc; done; touch done; sleep 60",
             {{"background", true}});
  await("the job to plant", [&] {
    return exists(folder + "/w/done") ||
           status_of(house_.call_in(folder + "/w", "process", {{"action", "poll"}, {"sessionId", id_of(job)}})) !=
               "running";
  });
  await("all to be gone", [&] {
    for (int i = 1; i <= 1000; ++i) {
      if (exists(folder + "/w/t" + std::to_string(i) + "/.envrc")) return false;
    }
    return true;
  });
}

// What is told of them must fit into one message.
TEST_F(LeftBehindDeeperTest, ManyWithLongNames) {
  const std::string folder = begin(kSinglePlant);
  const JsonObject result = inside(
      folder,
      "d=$(printf 'n%.0s' $(seq 200)); p=$d/$d/$d/$d/$d/$d/$d/$d; for i in $(seq 150); do mkdir -p $p/$i; echo $i > "
      "$p/$i/.envrc; done");
  EXPECT_EQ(status_of(result), "completed") << write_json(result);
  EXPECT_THAT(write_json(result), testing::HasSubstr(" more\",\"rule\":\"guard\""));
  host(folder, "find . -name .envrc | grep . && touch @B@/PWNED");
  expect_nothing_runs(kSinglePlant, folder);
}

// A commit that a command made does not become the person's when its sandbox goes, however that ends.
TEST_F(LeftBehindDeeperTest, CommittedNowCheckedOutLater) {
  for (const bool killed : {false, true}) {
    const std::string folder = begin(kSinglePlant);
    const std::string commit =
        "git checkout -q -b evil && echo evil > .envrc && git add -f .envrc && git -c user.name=A -c user.email=a@b "
        "commit -qm evil && rm .envrc && git checkout -q -f -";
    if (killed) {
      inside(folder, commit + " && touch done && sleep 300", {{"background", true}});
      await("the commit", [&] { return exists(folder + "/w/done"); });
      for (const pid_t pid : descendants_of(house_.keeper_pid())) ::kill(pid, SIGKILL);
    } else {
      const JsonObject committed = inside(folder, commit);
      EXPECT_EQ(status_of(committed), "completed") << write_json(committed);
    }
    house_.kill_gateway();
    house_.kill_keeper();
    const JsonObject checked_out = inside(folder, "git checkout -q -f evil");
    EXPECT_THAT(text_of(checked_out), testing::HasSubstr(".envrc"));
    expect_nothing_runs(kSinglePlant, folder);
  }
}

// What the person commits between two commands of a session is theirs in the next.
TEST_F(LeftBehindDeeperTest, CommittedByThePersonMeanwhile) {
  const std::string folder = begin(kSinglePlant);
  inside(folder, "true");
  host(folder,
       "git checkout -q -b mine && echo mine > .envrc && git add -f .envrc && git -c user.name=A -c user.email=a@b "
       "commit -qm mine && git checkout -q -");
  inside(folder, "git checkout -q mine");
  EXPECT_EQ(*read_file(folder + "/w/.envrc"), "mine\n");
}

// The command is prepared while the guard looks around, and waits for it.
TEST_F(LeftBehindDeeperTest, NothingRunsBeforeTheGuardHasLooked) {
  ASSERT_EQ(house_.run({"exec", "true"}).code, 0);
  const auto find = [&](const std::string& name) {
    for (const pid_t pid : descendants_of(house_.keeper_pid())) {
      const Result<std::string> comm = read_file("/proc/" + std::to_string(pid) + "/comm");
      if (comm && comm->starts_with(name)) return pid;
    }
    return 0;
  };
  const pid_t guard = find("talaria-guard");
  ASSERT_GT(guard, 0);
  ASSERT_EQ(::kill(guard, SIGSTOP), 0);
  Running command = house_.start({"exec", "--", "touch ran"});
  command.close_input();
  await("the command to be prepared", [&] { return find("talaria-init") > 0; });
  const JsonObject other = house_.call_in("/", "exec", {{"command", "echo as long as a command takes"}});
  EXPECT_EQ(status_of(other), "completed") << write_json(other);
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
  ASSERT_EQ(::kill(guard, SIGCONT), 0);
  EXPECT_EQ(command.finish().code, 0);
  EXPECT_TRUE(exists(house_.workspace() + "/ran"));
}

// Whoever ends the guard, such as a machine without memory, ends the commands that it guarded.
TEST_F(LeftBehindDeeperTest, WithoutAGuard) {
  const std::string folder = begin(kSinglePlant);
  const JsonObject job =
      inside(folder, "until [ -e go ]; do :; done; while :; do echo evil > .envrc; done", {{"background", true}});
  int ended = 0;
  for (const pid_t pid : descendants_of(house_.keeper_pid())) {
    const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
    if (name && name->starts_with("talaria-guard") && ::kill(pid, SIGKILL) == 0) ++ended;
  }
  EXPECT_EQ(ended, 1);
  await("the job to end", [&] {
    return status_of(house_.call_in(folder + "/w", "process", {{"action", "poll"}, {"sessionId", id_of(job)}})) !=
           "running";
  });
  const JsonObject end = house_.call_in(folder + "/w", "process", {{"action", "poll"}, {"sessionId", id_of(job)}});
  EXPECT_THAT(text_of(end), testing::HasSubstr("could not be looked through"));
  ASSERT_TRUE(write_file_atomically(folder + "/w/go", "", 0644, Durable::no));
  inside(folder, "true");
  expect_nothing_runs(kSinglePlant, folder);
}

}  // namespace
}  // namespace talaria
