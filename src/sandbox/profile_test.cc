#include "sandbox/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view fields) {
  Result<Profile> profile = custom_profile("mine", *parse_json_object(fields), "/home/a");
  return profile ? "accepted" : profile.error().message();
}

TEST(ProfileTest, GivesTheBuiltInProfilesTheirLimits) {
  EXPECT_EQ(built_in_profile(ProfileKind::read_only).limits.processes, 256u);
  EXPECT_EQ(built_in_profile(ProfileKind::read_only).limits.memory_bytes, uint64_t{2} << 30);
  EXPECT_EQ(built_in_profile(ProfileKind::read_only).limits.tmp_bytes, uint64_t{256} << 20);
  EXPECT_EQ(built_in_profile(ProfileKind::workspace_write).limits.growth_bytes, uint64_t{5} << 30);
  EXPECT_EQ(built_in_profile(ProfileKind::workspace_write).network, NetworkMode::off);
  EXPECT_EQ(built_in_profile(ProfileKind::full).network, NetworkMode::on);
  EXPECT_EQ(built_in_profile(ProfileKind::full).limits, Limits());
}

TEST(ProfileTest, LaysACustomProfileOverItsBase) {
  const Profile profile = *custom_profile("mine", *parse_json_object(R"({
      "base": "read-only", "readable": ["~/data", "/srv//x/"], "writable": ["/srv/out"], "network": "on",
      "protected_names": [".env", "deploy/key"], "limits": {"processes": 9, "memory_bytes": "512 MiB"}})"),
                                          "/home/a");
  Profile expected = built_in_profile(ProfileKind::read_only);
  expected.name = "mine";
  expected.readable = {"/home/a/data", "/srv/x"};
  expected.writable = {"/srv/out"};
  expected.protected_names = {".env", "deploy/key"};
  expected.network = NetworkMode::on;
  expected.limits.processes = 9;
  expected.limits.memory_bytes = uint64_t{512} << 20;
  EXPECT_EQ(profile, expected);
}

TEST(ProfileTest, NamesTheFieldItRefuses) {
  EXPECT_THAT(refusal(R"({"base": "none"})"), HasSubstr("\"mine\": \"base\": unknown sandbox profile \"none\""));
  EXPECT_THAT(refusal(R"({"readable": ["a"]})"), HasSubstr("\"readable[0]\" must be an absolute path"));
  EXPECT_THAT(refusal(R"({"writable": ["/a/../b"]})"), HasSubstr("\"writable[0]\" must not hold \"..\""));
  EXPECT_THAT(refusal(R"({"writable": ["/"]})"), HasSubstr("\"writable[0]\" must name something below /"));
  EXPECT_THAT(refusal(R"({"protected_names": ["a/../b"]})"), HasSubstr("\"protected_names\""));
  EXPECT_THAT(refusal(R"({"limits": {"memory_bytes": "lots"}})"),
              HasSubstr("limit \"memory_bytes\" must be an amount"));
  EXPECT_THAT(refusal(R"({"limits": {"processes": -1}})"), HasSubstr("limit \"processes\" must be a whole number"));
  EXPECT_THAT(refusal(R"({"limits": {"procs": 1}})"), HasSubstr("procs"));
  EXPECT_THAT(refusal(R"({"netwrk": "on"})"), HasSubstr("netwrk"));
  EXPECT_THAT(refusal(R"({"base": "full", "network": "off"})"), HasSubstr("\"network\" cannot be off"));
}

TEST(ProfileTest, RefusesAnAllowListOfHostsClearly) {
  EXPECT_THAT(refusal(R"({"network": "allow"})"),
              HasSubstr("network \"allow\" (a list of allowed hosts) is not available in this version; use off or on"));
}

TEST(ProfileTest, ListsBuiltInAndCustomProfilesTogether) {
  const auto profiles = *all_profiles(*parse_json_object(R"({"mine": {}})"), "/home/a");
  EXPECT_EQ(profiles.size(), 4u);
  EXPECT_EQ(profiles.at("mine").kind, ProfileKind::workspace_write);
  EXPECT_THAT(all_profiles(*parse_json_object(R"({"full": {}})"), "").error().message(), HasSubstr("is built in"));
  EXPECT_THAT(all_profiles(*parse_json_object(R"({"x": 1})"), "").error().message(), HasSubstr("must be an object"));
}

TEST(ProfileTest, SurvivesJson) {
  Profile profile = built_in_profile(ProfileKind::workspace_write);
  profile.name = "mine";
  profile.readable = {"/a"};
  profile.writable = {"/b"};
  profile.protected_names = {".env"};
  EXPECT_EQ(*profile_from_json(*parse_json_object(write_json(to_json(profile)))), profile);
}

}  // namespace
}  // namespace talaria
