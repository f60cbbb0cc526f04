#include "skills/catalog_origins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skills/catalog_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SkillOriginsTest, WhatIsNotNamedIsThePersons) {
  const SkillOrigins origins = parse_origins("{}", "/o");
  EXPECT_EQ(origins.trust_of("anything"), Trust::local);
  EXPECT_EQ(origins.trust_of(""), Trust::local);
  EXPECT_THAT(origins.diagnostics, IsEmpty());
}

TEST(SkillOriginsTest, ReadsEveryTrustThatHasAnOrigin) {
  const SkillOrigins origins = parse_origins(R"({
    "a": {"trust": "agent-created", "at": "2026-01-01"},
    "b/c": {"trust": "community"}, "./d/": {"trust": "trusted"}, "e": {"trust": "official"}})",
                                             "/o");
  EXPECT_EQ(origins.trust_of("a"), Trust::agent_created);
  EXPECT_EQ(origins.trust_of("b/c"), Trust::community);
  EXPECT_EQ(origins.trust_of("b"), Trust::local);
  EXPECT_EQ(origins.trust_of("d"), Trust::trusted);
  EXPECT_EQ(origins.trust_of("e"), Trust::official);
}

TEST(SkillOriginsTest, WhatIsBelowAFolderCameWithIt) {
  const SkillOrigins origins =
      parse_origins(R"({"a": {"trust": "community"}, "a/b/own": {"trust": "agent-created"}})", "/o");
  EXPECT_EQ(origins.trust_of("a/b/c"), Trust::community);
  EXPECT_EQ(origins.trust_of("a/b/own/x"), Trust::agent_created);
  EXPECT_EQ(origins.trust_of("ab"), Trust::local);
}

TEST(SkillOriginsTest, ATrustThatNobodyGivesIsCommunity) {
  const SkillOrigins origins = parse_origins(
      R"({"a": {"trust": "builtin"}, "b": {"trust": 5}, "c": {}, "d": null, "e": {"trust": "local"}})", "/o");
  for (const char* folder : {"a", "b", "c", "d", "e"}) EXPECT_EQ(origins.trust_of(folder), Trust::community) << folder;
  EXPECT_EQ(origins.trust_of("f"), Trust::local);
  EXPECT_EQ(origins.diagnostics.size(), 5U);
}

TEST(SkillOriginsTest, WithoutAReadableFileNothingIsTrusted) {
  for (const char* text : {"", "[]", "{", "null", R"({"a": {"trust": "official"})"}) {
    const SkillOrigins origins = parse_origins(text, "/o");
    EXPECT_EQ(origins.trust_of("a"), Trust::community) << text;
    EXPECT_EQ(origins.trust_of("other"), Trust::community) << text;
    ASSERT_EQ(origins.diagnostics.size(), 1U) << text;
    EXPECT_EQ(origins.diagnostics[0].severity, Severity::error);
  }
}

TEST(SkillOriginsTest, TheLesserTrustAllowsLess) {
  EXPECT_EQ(lesser(Trust::local, Trust::community), Trust::community);
  EXPECT_EQ(lesser(Trust::agent_created, Trust::official), Trust::agent_created);
  EXPECT_EQ(lesser(Trust::builtin, Trust::builtin), Trust::builtin);
}

class OriginsInCatalogTest : public testing::Test {
 protected:
  void put_origins(std::string_view text) { trial.put("skills/.talaria/origins.json", text); }
  Trust trust_of(const std::string& name) { return catalog.refresh(roots)->find(name)->trust; }

  CatalogTrial trial;
  std::vector<SkillRoot> roots = {trial.root("skills", SkillSource::home)};
  Catalog catalog{trial.index()};
};

TEST_F(OriginsInCatalogTest, AreSeenAtEveryChange) {
  trial.put_skill("skills/one");
  trial.put_skill("skills/a/two");
  EXPECT_EQ(trust_of("one"), Trust::local);
  put_origins(R"({"one": {"trust": "community"}})");
  EXPECT_EQ(trust_of("one"), Trust::community);
  EXPECT_EQ(trust_of("two"), Trust::local);
  settle(catalog, roots);
  put_origins(R"({"one": {"trust": "community"}, "a/two": {"trust": "agent-created"}})");
  EXPECT_EQ(trust_of("two"), Trust::agent_created);
  settle(catalog, roots);
  put_origins("{broken");
  EXPECT_EQ(trust_of("two"), Trust::community);
  EXPECT_THAT(catalog.refresh(roots)->diagnostics(),
              ElementsAre(testing::Field(&CatalogDiagnostic::message, HasSubstr("count as community"))));
  settle(catalog, roots);
  trial.remove("skills/.talaria");
  EXPECT_EQ(trust_of("one"), Trust::local);
  EXPECT_THAT(catalog.refresh(roots)->diagnostics(), IsEmpty());
}

TEST_F(OriginsInCatalogTest, HoldAfterARestartWithTheIndex) {
  trial.put_skill("skills/one");
  put_origins(R"({"one": {"trust": "trusted"}})");
  settle(catalog, roots);
  ASSERT_TRUE(catalog.save());
  put_origins(R"({"one": {"trust": "community"}})");
  Catalog restarted(trial.index());
  EXPECT_EQ(restarted.refresh(roots)->find("one")->trust, Trust::community);
}

TEST_F(OriginsInCatalogTest, ALinkDoesNotMakeAnotherOrigin) {
  trial.put_skill("skills/community/scripts/hidden");
  trial.put_skill("skills/community");
  put_origins(R"({"community": {"trust": "community"}})");
  trial.link("skills/mine", "community/scripts/hidden");
  trial.link("skills/file/SKILL.md", "../community/scripts/hidden/SKILL.md");
  const auto view = catalog.refresh(roots);
  for (const Skill* skill : view->skills()) EXPECT_EQ(skill->trust, Trust::community) << skill->directory;
  EXPECT_EQ(view->find("hidden")->directory, trial.path("skills/file"));
}

TEST_F(OriginsInCatalogTest, OnlyTheTalariaHomeHasThem) {
  trial.put_skill("skills/one");
  put_origins(R"({"one": {"trust": "official"}})");
  roots = {trial.root("skills", SkillSource::external, Trust::community)};
  EXPECT_EQ(trust_of("one"), Trust::community);
}

TEST_F(OriginsInCatalogTest, AFileThatIsNoFileTrustsNothing) {
  trial.put_skill("skills/one");
  trial.make_folder("skills/.talaria/origins.json");
  EXPECT_EQ(trust_of("one"), Trust::community);
  trial.remove("skills/.talaria");
  trial.put("skills/.talaria", "a file");
  EXPECT_EQ(trust_of("one"), Trust::community);
}

}  // namespace
}  // namespace talaria
