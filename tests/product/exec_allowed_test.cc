// Whether exec may: the policy, what a call may tighten, and elevated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ExecAllowedTest : public testing::Test {
 protected:
  void configure(const std::string& key, const std::string& value) {
    const Ran ran = house_.run({"config", "set", key, value});
    ASSERT_EQ(ran.code, 0) << ran.err;
  }

  PlainHouse house_;
};

TEST_F(ExecAllowedTest, ACallCanTightenTheSecurityButNotLoosenIt) {
  const JsonObject tightened = house_.exec("touch ran", {{"security", "deny"}});
  EXPECT_EQ(status_of(tightened), "denied");
  EXPECT_FALSE(text_or(details_of(tightened), "reason").empty());
  EXPECT_FALSE(text_or(details_of(tightened), "rule").empty());
  EXPECT_EQ(text_of(house_.exec("echo yes", {{"security", "full"}})), "yes\n");
  configure("exec.security", "deny");
  EXPECT_EQ(status_of(house_.exec("touch ran")), "denied");
  EXPECT_EQ(status_of(house_.exec("touch ran", {{"security", "full"}})), "denied");
  configure("exec.security", "full");
  configure("exec.ask", "always");
  EXPECT_NE(status_of(house_.exec("touch ran", {{"ask", "off"}})), "completed");
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
}

TEST_F(ExecAllowedTest, ElevatedNeedsBothSwitchesAndAModeThatCanBeHad) {
  const auto refusal = [&] {
    const JsonObject result = house_.exec("touch ran", {{"elevated", true}});
    EXPECT_TRUE(boolean_or(result, "isError")) << write_json(result);
    return text_of(result);
  };
  EXPECT_THAT(refusal(), AllOf(StartsWith("elevated is not available right now: "), HasSubstr("exec.elevated.enabled"),
                               HasSubstr("exec.elevated.allowed")));
  configure("exec.elevated.enabled", "true");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("exec.elevated.allowed"), Not(HasSubstr("exec.elevated.enabled"))));
  configure("exec.elevated.allowed", "true");
  configure("exec.elevated.mode", "ask");
  EXPECT_THAT(refusal(), HasSubstr("exec.elevated.mode"));
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
  configure("exec.elevated.mode", "on");
  EXPECT_EQ(text_of(house_.exec("echo up", {{"elevated", true}})), "up\n");
  configure("exec.security", "deny");
  EXPECT_EQ(status_of(house_.exec("true", {{"elevated", true}})), "denied");  // `on` leaves the policy in force
  configure("exec.elevated.mode", "full");
  EXPECT_EQ(status_of(house_.exec("true", {{"elevated", true}})), "completed");
  EXPECT_EQ(status_of(house_.exec("true", {{"elevated", true}, {"security", "deny"}})), "denied");
  EXPECT_EQ(status_of(house_.exec("true")), "denied");
}

TEST_F(ExecAllowedTest, ElevatedViaSudoGoesThroughSudoThatNeverAsks) {
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/sudo", "#!/bin/sh\necho \"sudo: $*\"\n", 0700));
  const std::string home = house_.environment()["HOME"];
  ASSERT_TRUE(write_file_atomically(home + "/.profile", "PATH=" + house_.workspace() + ":$PATH\n"));
  for (const char* key : {"exec.elevated.enabled", "exec.elevated.allowed"}) configure(key, "true");
  configure("exec.elevated.via", "sudo");
  EXPECT_THAT(text_of(house_.exec("id -u", {{"elevated", true}})),
              testing::MatchesRegex("sudo: -n -- /[a-z/]*bash -c -- id -u\n"));
  EXPECT_THAT(text_of(house_.exec("id -u")), Not(HasSubstr("sudo")));
}

}  // namespace
}  // namespace talaria
