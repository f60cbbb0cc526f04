#include "config/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/edit.h"
#include "config/settings.h"
#include "config/show.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

JsonObject profiles(std::string_view text) {
  Result<Settings> settings = parse_settings(text);
  EXPECT_TRUE(settings) << settings.error().message();
  return settings ? settings->sandbox.custom_profiles : JsonObject();
}

std::string problem(std::string_view text) {
  const Result<Settings> settings = parse_settings(text);
  return settings ? "" : settings.error().message();
}

std::string set(std::string_view text, std::string_view key, std::string_view value) {
  const Result<std::string> edited = set_key(text, key, value);
  return edited ? *edited : "error: " + edited.error().message();
}

TEST(ProfilesTest, AreReadWithTheTypesTheirFieldsHave) {
  const JsonObject read = profiles(R"(sandbox:
  profile: strict
  profiles:
    empty:
    strict:
      base: read-only
      readable: [~/data, 2024]
      writable:
      - "/srv/out"
      protected_names: [.env]
      network: off
      limits:
        processes: 64
        memory_bytes: 512M
        file_bytes: 2 GiB
        tmp_bytes: ~
)");
  EXPECT_EQ(write_json(read),
            R"({"empty":{},"strict":{"base":"read-only","readable":["~/data","2024"],"writable":["/srv/out"],)"
            R"("protected_names":[".env"],"network":"off",)"
            R"("limits":{"processes":64,"memory_bytes":"512M","file_bytes":"2 GiB"}}})");
}

TEST(ProfilesTest, ErrorsNameTheKeyAndItsPlace) {
  EXPECT_EQ(problem("sandbox:\n  profiles:\n    mine:\n      base: none\n"),
            "4:13: sandbox.profiles.mine.base must be one of read-only, workspace-write or full, got \"none\"");
  EXPECT_EQ(problem("sandbox: {profiles: {mine: {network: allow}}}"),
            "1:38: sandbox.profiles.mine.network must be one of off or on, got \"allow\"");
  EXPECT_EQ(problem("sandbox: {profiles: {mine: {limits: {memory_bytes: lots}}}}"),
            "1:52: sandbox.profiles.mine.limits.memory_bytes must be a whole number, 0 for no limit, or an amount such "
            "as 512M or 2G, got \"lots\"");
  EXPECT_THAT(problem("sandbox: {profiles: {mine: {netwrk: on}}}"),
              StartsWith("1:29: a profile has no field sandbox.profiles.mine.netwrk; its fields are base, readable"));
  EXPECT_THAT(problem("sandbox: {profiles: {mine: {limits: {cpus: 1}}}}"),
              StartsWith("1:38: a profile has no field sandbox.profiles.mine.limits.cpus"));
  EXPECT_THAT(problem("sandbox: {profiles: {mine: read-only}}"),
              StartsWith("1:28: sandbox.profiles.mine must be a section"));
  EXPECT_THAT(problem("sandbox: {profiles: [mine]}"), StartsWith("1:21: sandbox.profiles must be a section"));
  EXPECT_THAT(problem("sandbox: {profiles: {full: {}}}"), StartsWith("1:22: sandbox.profiles: \"full\" is not free"));
}

TEST(ProfilesTest, TheProfileInForceMustExist) {
  EXPECT_EQ(problem("sandbox:\n  profile: mine\n"),
            "2:12: sandbox.profile must be read-only, workspace-write, full or a name below sandbox.profiles, got "
            "\"mine\"");
  EXPECT_EQ(problem("sandbox: {profile: mine, profiles: {mine: }}"), "");
}

TEST(ProfilesTest, AreSetFieldByField) {
  std::string text = set("", "sandbox.profiles.mine.base", "read-only");
  text = set(text, "sandbox.profiles.mine.limits.memory_bytes", "2G");
  text = set(text, "sandbox.profiles.mine.readable", "[~/data]");
  text = set(text, "sandbox.profile", "mine");
  EXPECT_EQ(text, R"(sandbox:
  profiles:
    mine:
      base: read-only
      limits:
        memory_bytes: 2G
      readable: [~/data]
  profile: mine
)");
  EXPECT_EQ(*unset_key(text, "sandbox.profiles.mine.limits.memory_bytes"), R"(sandbox:
  profiles:
    mine:
      base: read-only
      readable: [~/data]
  profile: mine
)");
}

TEST(ProfilesTest, WhatDoesNotFitIsNotSet) {
  EXPECT_THAT(set("", "sandbox.profiles.mine.base", "none"), StartsWith("error: sandbox.profiles.mine.base must be"));
  EXPECT_THAT(set("", "sandbox.profiles.mine.bse", "full"), StartsWith("error: a profile has no field"));
  EXPECT_EQ(set("", "sandbox.profiles.mine", "full"), "error: sandbox.profiles.mine is a section; set one of its keys");
  EXPECT_EQ(set("", "sandbox.profiles.mine.limits", "3"),
            "error: sandbox.profiles.mine.limits is a section; set one of its keys");
  EXPECT_EQ(set("", "sandbox.profiles", "full"),
            "error: sandbox.profiles must be a section with one key for each profile, got \"full\"");
  EXPECT_THAT(set("", "sandbox.profiles.full.base", "full"), HasSubstr("is built in"));
  EXPECT_THAT(set("", "sandbox.profile", "mine"), StartsWith("error: sandbox.profile must be read-only"));
  EXPECT_THAT(set("", "sandbox.network", "allow"),
              StartsWith("error: sandbox.network must be one of as-profile, off or on"));
  EXPECT_THAT(set("", "sandbox.without", "[cgroup]"), HasSubstr("seccomp or cgroups, got \"cgroup\" as item 1"));
  EXPECT_THAT(set("", "sandbox.without", "[landlock-N]"), HasSubstr("as item 1"));
  EXPECT_EQ(set("", "sandbox.without", "[landlock-3]"), "sandbox:\n  without: [landlock-3]\n");
}

TEST(ProfilesTest, AreFoundByTheirKeys) {
  const JsonObject read = profiles("sandbox: {profiles: {mine: {limits: {processes: 3}}}}");
  EXPECT_EQ(profile_value(read, "sandbox.profiles.mine.limits.processes"), Json(3));
  EXPECT_EQ(profile_value(read, "sandbox.profiles.mine.base"), std::nullopt);
  EXPECT_EQ(profile_value(read, "sandbox.profiles.mine.limits.processes.x"), std::nullopt);
  EXPECT_TRUE(is_below_profiles("sandbox.profiles.mine"));
  EXPECT_FALSE(is_below_profiles("sandbox.profiles"));
}

TEST(ProfilesTest, AreShownOnOneLineAndKnown) {
  const std::string text = "sandbox: {profiles: {mine: {base: full, readable: [a]}}}";
  const std::vector<SettingRow> rows = *show_settings(text);
  const auto row = std::find_if(rows.begin(), rows.end(), [](auto& one) { return one.key == "sandbox.profiles"; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->value, "{mine: {base: full, readable: [a]}}");
  EXPECT_EQ(row->default_value, "{}");
  EXPECT_EQ(*unknown_keys(text), std::vector<UnknownKey>{});
}

}  // namespace
}  // namespace talaria
