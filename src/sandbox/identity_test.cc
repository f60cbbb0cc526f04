#include "sandbox/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::HasSubstr;

IdentityFacts root() { return {}; }

IdentityFacts person() {
  IdentityFacts facts;
  facts.uid = 1000;
  facts.gid = 1001;
  return facts;
}

TEST(IdentityTest, LeavesAnOrdinaryUserWhoItIs) {
  const Identity expected{.uid = 1000, .gid = 1001};
  EXPECT_EQ(*plan_identity(person()), expected);
  IdentityFacts full = person();
  full.profile = ProfileKind::full;
  EXPECT_EQ(*plan_identity(full), expected);
}

TEST(IdentityTest, GivesRootsSessionsUserIdsNobodyHas) {
  IdentityFacts facts = root();
  facts.slot = 7;
  EXPECT_EQ(*plan_identity(facts), (Identity{.uid = 64007, .gid = 64007, .mapped_owners = true}));
  facts.slot = 1007;
  EXPECT_EQ(plan_identity(facts)->uid, 64007u);
  facts.ids = 0;
  EXPECT_FALSE(plan_identity(facts));
}

TEST(IdentityTest, RefusesToBeRootWhereOwnersCannotBeMapped) {
  IdentityFacts facts = root();
  facts.no_mapping = "/w: Invalid argument";
  const Error refusal = plan_identity(facts).error();
  EXPECT_EQ(refusal.code(), ErrorCode::denied);
  EXPECT_THAT(refusal.message(), HasSubstr("not possible (/w: Invalid argument)"));
  EXPECT_THAT(refusal.message(), HasSubstr("set sandbox.root_identity: same"));
  facts.root_identity = RootIdentity::same;
  EXPECT_EQ(*plan_identity(facts), (Identity{.uid = 0, .gid = 0}));
}

TEST(IdentityTest, LeavesRootItsPowerUnderFullOnly) {
  IdentityFacts facts = root();
  facts.profile = ProfileKind::full;
  EXPECT_EQ(*plan_identity(facts), (Identity{.user_namespace = false, .keeps_capabilities = true}));
}

TEST(IdentityTest, SurvivesJson) {
  const Identity identity{.uid = 64000, .gid = 64001, .mapped_owners = true};
  EXPECT_EQ(*identity_from_json(to_json(identity)), identity);
  EXPECT_FALSE(identity_from_json({{"uid", 1}}));
  EXPECT_FALSE(identity_from_json({{"uid", 1}, {"gid", 1}, {"gids", 1}}));
}

TEST(IdentityTest, KnowsTheNamesOfRootsIdentities) {
  EXPECT_EQ(*root_identity_named("same"), RootIdentity::same);
  EXPECT_THAT(root_identity_named("x").error().message(), HasSubstr("Allowed values: mapped, same."));
}

}  // namespace
}  // namespace talaria
