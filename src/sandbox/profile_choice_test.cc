#include "sandbox/profile_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::HasSubstr;

std::string refusal(const ProfileChoice& choice) {
  const Result<Profile> profile = choose_profile(choice);
  return profile ? "accepted" : profile.error().message();
}

TEST(ProfileChoiceTest, IsWorkspaceWriteWhenNothingIsSaid) {
  EXPECT_EQ(*choose_profile({}), built_in_profile(ProfileKind::workspace_write));
}

TEST(ProfileChoiceTest, AddsPathsAndNamesToTheProfile) {
  const Profile profile = *choose_profile({.profile = "mine",
                                           .network = "on",
                                           .readable = {"~/data", "/srv//x/", "/a"},
                                           .writable = {"~"},
                                           .protected_names = {".env", "keys/a"},
                                           .custom = *parse_json_object(R"({"mine": {"base": "read-only",
                                               "readable": ["/a"], "protected_names": [".env"],
                                               "limits": {"memory_bytes": "4 GiB", "tmp_bytes": "512M", "processes": 3}}})"),
                                           .home = "/home/a"});
  Profile expected = built_in_profile(ProfileKind::read_only);
  expected.name = "mine";
  expected.network = NetworkMode::on;
  expected.readable = {"/a", "/home/a/data", "/srv/x"};
  expected.writable = {"/home/a"};
  expected.protected_names = {".env", "keys/a"};
  expected.limits.memory_bytes = uint64_t{4} << 30;
  expected.limits.tmp_bytes = uint64_t{512} << 20;
  expected.limits.processes = 3;
  EXPECT_EQ(profile, expected);
}

TEST(ProfileChoiceTest, NamesTheKeyItRefuses) {
  EXPECT_EQ(refusal({.profile = "mine"}),
            "there is no sandbox profile \"mine\"; there are full, read-only, workspace-write. Others can be set below "
            "sandbox.profiles");
  EXPECT_THAT(refusal({.network = "allow"}), HasSubstr("sandbox.network: network \"allow\" (a list of allowed hosts)"));
  EXPECT_THAT(refusal({.network = "maybe"}), HasSubstr("Allowed values: off, on"));
  EXPECT_THAT(refusal({.profile = "full", .network = "off"}), HasSubstr("sandbox.network cannot be off"));
  EXPECT_THAT(refusal({.readable = {"/a", "b"}}), HasSubstr("sandbox.readable[1] must be an absolute path"));
  EXPECT_THAT(refusal({.writable = {"/a/.."}}), HasSubstr("sandbox.writable[0] must not hold"));
  EXPECT_THAT(refusal({.protected_names = {"/a"}}), HasSubstr("sandbox.protected must hold names"));
  EXPECT_THAT(refusal({.custom = *parse_json_object(R"({"x": {"readable": ["y"]}})")}),
              HasSubstr("sandbox.profiles: sandbox profile \"x\": \"readable[0]\" must be an absolute path"));
}

}  // namespace
}  // namespace talaria
