// Talaria's own files stay its own on the plain host, whatever leads to them; and names of files hide secrets as their
// text does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.h"
#include "os/home.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

class OwnStateTest : public testing::Test {
 protected:
  // The home is a link: everything else is as usual.
  void SetUp() override {
    ASSERT_TRUE(make_directories(real_ + "/skills"));
    ASSERT_EQ(::chmod(real_.c_str(), 0700), 0);
    ASSERT_EQ(::symlink("real", house_.root().c_str()), 0);
    put(real_ + "/config.yaml", plain_host);
  }
  static void put(const std::string& path, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(path, text, 0600, Durable::no));
  }
  std::string written(const std::string& path) {
    return text_of(house_.call("write_file", {{"path", path}, {"content", "exec:\n  security: full\n"}}));
  }
  std::string patched(const std::string& path) {
    return text_of(house_.call("patch", {{"path", path}, {"old_string", "gateway"}, {"new_string", "sandbox"}}));
  }

  static constexpr const char* plain_host = "exec:\n  host: gateway\n";
  House house_;
  std::string base_ = house_.root().substr(0, house_.root().rfind('/'));
  std::string real_ = base_ + "/real";
};

TEST_F(OwnStateTest, NoLinkOnTheWayToTheHomeOpensItForWriting) {
  ASSERT_EQ(::symlink(base_.c_str(), (house_.workspace() + "/around").c_str()), 0);
  ASSERT_EQ(::symlink((real_ + "/config.yaml").c_str(), (house_.workspace() + "/innocent").c_str()), 0);
  for (const std::string& path :
       {house_.root() + "/config.yaml", real_ + "/config.yaml", std::string("../real/new.yaml"),
        std::string("around/real/config.yaml"), std::string("around/h/skills/x/SKILL.md"), std::string("innocent"),
        real_ + "/new", real_ + "/skills/x/SKILL.md"}) {
    EXPECT_THAT(written(path), HasSubstr("Talaria's own state")) << path;
  }
  for (const std::string& path : {real_ + "/config.yaml", std::string("innocent")}) {
    EXPECT_THAT(patched(path), HasSubstr("Talaria's own state")) << path;
  }
  EXPECT_EQ(*read_file(real_ + "/config.yaml"), plain_host);
  EXPECT_FALSE(exists(real_ + "/new"));
  EXPECT_THAT(text_of(house_.call("read_file", {{"path", real_ + "/talaria.db"}})), HasSubstr("Talaria's own state"));
  EXPECT_THAT(text_of(house_.call("read_file", {{"path", real_ + "/config.yaml"}})), HasSubstr("host: gateway"));
  EXPECT_THAT(text_of(house_.call("search_files", {{"pattern", "*.db"}, {"target", "files"}, {"path", base_}})),
              Not(HasSubstr("talaria.db")));
}

TEST_F(OwnStateTest, EverythingThatStandsInAHomeIsKnownByName) {
  // A job, a repository with a commit, something for the quarantine, and a search of the login environment.
  ASSERT_EQ(house_.run({"config", "set", "exec.host", "sandbox"}).code, 0);
  ASSERT_EQ(
      house_.run({"exec", "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one"}).code,
      0);
  ASSERT_EQ(house_.run({"exec", "echo 'touch PWNED' > .envrc"}).code, 0);
  ASSERT_EQ(house_.run({"rm", "nothere"}).code, 1);
  ASSERT_TRUE(exists(real_ + "/quarantine"));
  const Result<std::vector<std::string>> names = list_directory(real_);
  ASSERT_TRUE(names) << names.error().message();
  for (const std::string& name : *names) {
    const bool of_database = name == "talaria.db-wal" || name == "talaria.db-shm";
    EXPECT_TRUE(of_database || std::ranges::find(home_entries, name) != home_entries.end())
        << name << " is not in home_entries, so a link of that name would not be guarded";
  }
}

TEST_F(OwnStateTest, AFileOfTheHomeThatIsALinkIsGuardedWhereItIs) {
  const std::string elsewhere = house_.workspace() + "/dotfiles";
  ASSERT_TRUE(make_directories(elsewhere + "/skills"));
  put(elsewhere + "/talaria.yaml", plain_host);
  ASSERT_EQ(::unlink((real_ + "/config.yaml").c_str()), 0);
  ASSERT_EQ(::rmdir((real_ + "/skills").c_str()), 0);
  ASSERT_EQ(::symlink((elsewhere + "/talaria.yaml").c_str(), (real_ + "/config.yaml").c_str()), 0);
  ASSERT_EQ(::symlink((elsewhere + "/skills").c_str(), (real_ + "/skills").c_str()), 0);
  EXPECT_THAT(written("dotfiles/talaria.yaml"), HasSubstr("Talaria's own state"));
  EXPECT_THAT(written("dotfiles/skills/mine/SKILL.md"), HasSubstr("Talaria's own state"));
  EXPECT_EQ(*read_file(elsewhere + "/talaria.yaml"), plain_host);
  EXPECT_THAT(written("dotfiles/other.yaml"), Not(HasSubstr("own state")));
}

TEST_F(OwnStateTest, AnotherNameOfTheSameFileIsTheSameFile) {
  const std::string other = house_.workspace() + "/other-name.yaml";
  ASSERT_EQ(::link((real_ + "/config.yaml").c_str(), other.c_str()), 0);
  EXPECT_THAT(written(other), HasSubstr("Talaria's own state"));
  EXPECT_THAT(patched(other), HasSubstr("Talaria's own state"));
}

TEST_F(OwnStateTest, TheOwnersRulesHoldForAHomeThatIsALink) {
  const std::string person = base_ + "/person";
  ASSERT_TRUE(make_directories(person + "/private"));
  put(person + "/private/diary", "dear diary");
  ASSERT_EQ(::symlink("person", (base_ + "/person-link").c_str()), 0);
  house_.environment()["HOME"] = base_ + "/person-link";
  put(real_ + "/config.yaml", std::string(plain_host) + "files:\n  read:\n    deny: [\"~/private\"]\n");
  for (const std::string& path : {std::string("~/private/diary"), person + "/private/diary"}) {
    EXPECT_THAT(text_of(house_.call("read_file", {{"path", path}})), HasSubstr("is denied by files.read.deny")) << path;
  }
}

TEST_F(OwnStateTest, ASecretInANameOfAFileIsMaskedForAnAgent) {
  const std::string secret = "tok-4711-very-secret-value";
  put(real_ + "/.env", "SERVICE_TOKEN=" + secret + "\n");
  put(real_ + "/config.yaml", std::string(plain_host) + "terminal:\n  env_passthrough: [SERVICE_TOKEN]\n");
  ASSERT_EQ(text_of(house_.exec("echo $SERVICE_TOKEN")), "[masked SERVICE_TOKEN]\n");
  const std::string name = "dump-" + secret + ".txt";
  put(house_.workspace() + "/" + name, "needle\n");
  put(house_.workspace() + "/plain.txt", "needle\n");
  const std::vector<std::pair<std::string, JsonObject>> calls = {
      {"search_files", {{"pattern", "*.txt"}, {"target", "files"}}},
      {"search_files", {{"pattern", "needle"}}},
      {"search_files", {{"pattern", "needle"}, {"output_mode", "files_only"}}},
      {"search_files", {{"pattern", "needle"}, {"output_mode", "count"}}},
      {"search_files", {{"pattern", "needle"}, {"path", name}}},
      {"search_files", {{"pattern", "needle"}, {"path", "no-" + name}}},
      {"read_file", {{"path", name}}},
      {"read_file", {{"path", "dump-" + secret + ".tx"}}},
      {"read_file", {{"path", "dump.txt"}}},
      {"patch", {{"path", name}, {"old_string", "needle"}, {"new_string", "thread"}}},
      {"write_file", {{"path", name}, {"content", "needle\n"}, {"force", true}}},
      {"patch",
       {{"mode", "patch"},
        {"patch", "*** Begin Patch\n*** Update File: " + name + "\n@@\n-needle\n+thread\n*** End Patch\n"}}},
  };
  for (const auto& [tool, arguments] : calls) {
    const std::string shown = write_json(house_.call(tool, arguments));
    EXPECT_THAT(shown, Not(HasSubstr(secret))) << tool << write_json(arguments);
  }
  EXPECT_THAT(text_of(house_.call("search_files", {{"pattern", "*.txt"}, {"target", "files"}})),
              HasSubstr("dump-[masked SERVICE_TOKEN].txt\nplain.txt\n"));
}

}  // namespace
}  // namespace talaria
