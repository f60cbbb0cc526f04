// Whatever leads to Talaria's own home, configuration and programs is beyond the reach of a command in the sandbox.
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

constexpr const char* plain_host = "exec:\n  host: gateway\n";

void put(const std::string& path, const std::string& text) {
  ASSERT_TRUE(write_file_atomically(path, text, 0600, Durable::no));
}

int tier_of(const JsonObject& result) {
  const JsonObject* sandbox = object_or_null(details_of(result), "sandbox");
  return sandbox ? static_cast<int>(integer_or(*sandbox, "tier")) : -1;
}

// The person's home is elsewhere, so that the workspace is shown.
class HomeInWorkspaceTest : public testing::Test {
 protected:
  House house_{"w/data/deep/th"};
};

TEST_F(HomeInWorkspaceTest, NothingAroundTheHomeCanBeMovedAside) {
  ASSERT_EQ(tier_of(house_.exec("true")), 1);
  const JsonObject attack = house_.exec(
      "mv data d2; mv data/deep data/d3; mv data/deep/th data/deep/t2; rm -rf data; "
      "mkdir -p data/deep/th; printf 'exec:\\n  host: gateway\\n' > data/deep/th/config.yaml; ls -A data/deep/th");
  EXPECT_THAT(text_of(attack), AllOf(HasSubstr("busy"), Not(HasSubstr("config.yaml\n\n"))));
  EXPECT_FALSE(exists(house_.root() + "/config.yaml"));
  EXPECT_TRUE(exists(house_.root() + "/talaria.db"));
  EXPECT_EQ(tier_of(house_.exec("true")), 1);
  // What else is in those folders stays the command's to change.
  EXPECT_EQ(integer_or(details_of(house_.exec("touch data/mine data/deep/mine && rm data/mine")), "exitCode"), 0);
  EXPECT_TRUE(exists(house_.workspace() + "/data/deep/mine"));
}

class LinkedHomeFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_directories(house_.root()));
    ASSERT_EQ(::chmod(house_.root().c_str(), 0700), 0);
    ASSERT_TRUE(make_directories(dotfiles_ + "/skills", 0755));
  }
  void link(const std::string& target, const std::string& name) {
    (void)::unlink((house_.root() + "/" + name).c_str());
    ASSERT_EQ(::symlink(target.c_str(), (house_.root() + "/" + name).c_str()), 0);
  }

  House house_;
  std::string dotfiles_ = house_.workspace() + "/dotfiles";
};

TEST_F(LinkedHomeFilesTest, TheConfigurationThatALinkLeadsToCannotBeChanged) {
  put(dotfiles_ + "/talaria.yaml", "# mine\n");
  link(dotfiles_ + "/talaria.yaml", "config.yaml");
  link(dotfiles_ + "/skills", "skills");
  const JsonObject attack = house_.exec(
      "cat dotfiles/talaria.yaml; echo 'exec: {host: gateway}' > dotfiles/talaria.yaml; "
      "mv dotfiles/talaria.yaml x; rm -f dotfiles/talaria.yaml; mv dotfiles d2; touch dotfiles/skills/new; "
      "mkdir -p y && mv -T y dotfiles/skills; touch dotfiles/other");
  EXPECT_THAT(text_of(attack), AllOf(HasSubstr("# mine"), HasSubstr("Read-only file system"), HasSubstr("busy")));
  EXPECT_EQ(*read_file(dotfiles_ + "/talaria.yaml"), "# mine\n");
  EXPECT_FALSE(exists(dotfiles_ + "/skills/new"));
  EXPECT_TRUE(exists(dotfiles_ + "/other"));
  EXPECT_EQ(tier_of(house_.exec("true")), 1);
}

TEST_F(LinkedHomeFilesTest, SecretsThatALinkLeadsToAreHidden) {
  put(dotfiles_ + "/secrets", "A_TOKEN=tok-4711-very-secret\n");
  link(dotfiles_ + "/secrets", ".env");
  EXPECT_EQ(text_of(house_.exec("cat dotfiles/secrets")), "(no output)");
  (void)house_.exec("echo B=2 > dotfiles/secrets; rm -f dotfiles/secrets");
  EXPECT_EQ(*read_file(dotfiles_ + "/secrets"), "A_TOKEN=tok-4711-very-secret\n");
}

TEST_F(LinkedHomeFilesTest, AChangeOnTheHostIsNoticedByTheNextCommand) {
  put(dotfiles_ + "/one.yaml", "# one\n");
  put(dotfiles_ + "/two.yaml", "# two\n");
  link(dotfiles_ + "/one.yaml", "config.yaml");
  EXPECT_THAT(text_of(house_.exec("echo x >> dotfiles/one.yaml")), HasSubstr("Read-only"));
  link(dotfiles_ + "/two.yaml", "config.yaml");
  EXPECT_THAT(text_of(house_.exec("echo x >> dotfiles/two.yaml")), HasSubstr("Read-only"));
  EXPECT_EQ(*read_file(dotfiles_ + "/two.yaml"), "# two\n");
  // Replaced as an editor does.
  put(dotfiles_ + "/two.yaml", "# three\n");
  EXPECT_THAT(text_of(house_.exec("echo x >> dotfiles/two.yaml")), HasSubstr("Read-only"));
  EXPECT_EQ(*read_file(dotfiles_ + "/two.yaml"), "# three\n");
}

TEST_F(LinkedHomeFilesTest, WhatNothingCanGuardIsRefusedWithTheReason) {
  put(house_.root() + "/real.yaml", "# real\n");
  ASSERT_EQ(::symlink((house_.root() + "/real.yaml").c_str(), (dotfiles_ + "/link.yaml").c_str()), 0);
  link(dotfiles_ + "/link.yaml", "config.yaml");
  const JsonObject refused = house_.exec("touch made");
  EXPECT_THAT(text_of(refused),
              AllOf(HasSubstr("nothing was run"), HasSubstr(dotfiles_ + "/link.yaml is a symbolic link"),
                    HasSubstr("Name the real place")));
  EXPECT_FALSE(exists(house_.workspace() + "/made"));
}

TEST_F(LinkedHomeFilesTest, TheFileToolsOfThePlainHostRefuseTheSame) {
  put(dotfiles_ + "/talaria.yaml", plain_host);
  put(dotfiles_ + "/secrets", "A=1\n");
  link(dotfiles_ + "/talaria.yaml", "config.yaml");
  link(dotfiles_ + "/secrets", ".env");
  for (const char* path : {"dotfiles/talaria.yaml", "dotfiles/secrets"}) {
    EXPECT_THAT(text_of(house_.call("write_file", {{"path", path}, {"content", "x\n"}})),
                HasSubstr("Talaria's own state"))
        << path;
  }
}

}  // namespace
}  // namespace talaria
