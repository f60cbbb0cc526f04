// What a command finds in its sandbox, and what is said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SandboxLeftoverTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return house_.workspace() + "/" + name; }
  void put(const std::string& file, const std::string& text, uint32_t mode = 0644) {
    ASSERT_TRUE(make_directories(file.substr(0, file.rfind('/'))));
    ASSERT_TRUE(write_file_atomically(file, text, mode, Durable::no));
  }

  House house_;
};

TEST_F(SandboxLeftoverTest, TheActiveVirtualEnvironmentComesFirst) {
  const std::string home = house_.environment()["HOME"];
  put(home + "/venvs/one/bin/which-one", "#!/bin/sh\necho of the environment\n", 0755);
  put(home + "/other/bin/which-one", "#!/bin/sh\necho another\n", 0755);
  house_.environment()["VIRTUAL_ENV"] = home + "/venvs/one";
  house_.environment()["PATH"] = home + "/other/bin:" + house_.environment()["PATH"];
  EXPECT_EQ(text_of(house_.exec("which-one; echo ${PATH%%:*}")), "of the environment\n" + home + "/venvs/one/bin\n");
  EXPECT_THAT(text_of(house_.call("execute_code", {{"code", "import subprocess\nsubprocess.run(['which-one'])\n"}})),
              HasSubstr("of the environment"));
}

TEST_F(SandboxLeftoverTest, AVirtualEnvironmentThatIsHiddenIsNoPlaceForPrograms) {
  house_.environment()["VIRTUAL_ENV"] = house_.root() + "/venv";
  EXPECT_THAT(text_of(house_.exec("echo $PATH")), Not(HasSubstr("venv")));
}

TEST_F(SandboxLeftoverTest, WhatOthersOwnIsNamedWhateverItsMode) {
  if (::geteuid() != 0) return;  // nobody else can give files away, and without mapping modes say what holds
  const auto make = [this](const std::string& name, mode_t mode, uid_t user, gid_t group) {
    ASSERT_TRUE(make_directories(path(name)));
    ASSERT_EQ(::chown(path(name).c_str(), user, group), 0);
    ASSERT_EQ(::chmod(path(name).c_str(), mode), 0);
  };
  make("open", 0777, 65534, 65534);
  make("sticky", 01777, 65534, 65534);
  make("group", 0775, 0, 65534);
  make("ours", 0755, 0, 0);
  const JsonObject result = house_.exec("for i in open sticky group ours; do touch $i/x && echo $i; done 2>/dev/null");
  EXPECT_THAT(text_of(result), StartsWith("ours\n"));
  EXPECT_THAT(text_of(result),
              AllOf(HasSubstr("Not writable inside"), HasSubstr(path("open")), HasSubstr(path("sticky")),
                    HasSubstr(path("group")), Not(HasSubstr(path("ours")))));
}

TEST_F(SandboxLeftoverTest, GitHasThePersonsSettingsWithoutTheirSecrets) {
  const std::string home = house_.environment()["HOME"];
  put(home + "/.gitconfig",
      "[user]\n\tname = Ada\n\temail = ada@example.org\n[alias]\n\tst = status -s\n"
      "[url \"https://hidden-token@example.org/\"]\n\tinsteadOf = https://example.org/\n[commit]\n\tgpgSign = true\n"
      "[core]\n\thooksPath = /hidden-hooks\n",
      0600);
  put(home + "/.config/git/config", "[http]\n\textraHeader = hidden-header\n[init]\n\tdefaultBranch = trunk\n");
  const JsonObject result = house_.exec(
      "git init -q r && cd r && echo x > f && git add f && git commit -qm one && git log --format='%an %ae' && git st "
      "&& "
      "git branch --show-current; cat ~/.gitconfig ~/.config/git/config | grep -c hidden; echo >> ~/.gitconfig");
  EXPECT_THAT(text_of(result), StartsWith("Ada ada@example.org\ntrunk\n0\n"));
  EXPECT_THAT(text_of(result), HasSubstr("Read-only file system"));
}

TEST_F(SandboxLeftoverTest, AGitConfigurationThatIsAPipeHoldsNobody) {
  ASSERT_EQ(::mkfifo((house_.environment()["HOME"] + "/.gitconfig").c_str(), 0600), 0);
  EXPECT_EQ(text_of(house_.exec("ls -A ~")), "w\n");
}

TEST_F(SandboxLeftoverTest, ARunSaysInJsonWhetherItsOutputWasCut) {
  for (const auto& [command, cut] : {std::pair("seq 200000", true), std::pair("seq 20", false)}) {
    const Ran ran = house_.run({"sandbox", "run", "--json", command});
    const Result<JsonObject> result = parse_json_object(ran.out);
    ASSERT_TRUE(result) << ran.err;
    ASSERT_TRUE(details_of(*result).contains("truncated"));
    EXPECT_EQ(boolean_or(details_of(*result), "truncated"), cut) << command;
    EXPECT_EQ(text_of(*result).find("bytes left out") != std::string::npos, cut);
  }
}

}  // namespace
}  // namespace talaria
