#include "skills/skill_trust.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "skills/catalog.h"
#include "skills/catalog_trial.h"

namespace talaria {
namespace {

class SkillTrustRuleTest : public testing::Test {
 protected:
  void put(const std::string& folder, const std::string& name) {
    trial_.put(folder + "/SKILL.md", "---\nname: " + name + "\ndescription: d\n---\nText.\n");
  }
  // Both ways to ask have one answer.
  Trust trust_of(const std::string& name, const std::vector<std::string>& places) {
    const auto view = catalog_.refresh(roots_);
    const Skill* skill = view->find(name);
    CHECK(skill);
    SkillTrust rule(texts_, trial_.path("home"), places);
    const Trust trust = rule.of(*skill);
    EXPECT_EQ(trust, rule.of(*skill, read_front_matter(*read_file(skill->file)))) << name;
    return trust;
  }

  CatalogTrial trial_;
  std::vector<SkillRoot> roots_ = {{trial_.path("proj/.agents/skills"), SkillSource::project, Trust::local},
                                   {trial_.path("home/skills"), SkillSource::home, Trust::local},
                                   {trial_.path("proj/ext"), SkillSource::external, Trust::local},
                                   {trial_.path("other"), SkillSource::external, Trust::community},
                                   {trial_.path("bundled"), SkillSource::bundled, Trust::builtin}};
  Catalog catalog_{trial_.path("index")};
  TrustedTexts texts_{trial_.path("home/skills")};
};

TEST_F(SkillTrustRuleTest, WhatLiesWhereAgentsCouldWriteIsTheirsUntilItsTextIsTrusted) {
  put("proj/ext/one", "one");
  EXPECT_EQ(trust_of("one", {}), Trust::local);
  EXPECT_EQ(trust_of("one", {trial_.path("proj/e"), trial_.path("proj/ext/one/deeper")}), Trust::local);
  for (const std::string& place : {trial_.path("proj"), trial_.path("proj/ext/one"), std::string("/")}) {
    EXPECT_EQ(trust_of("one", {place}), Trust::agent_created) << place;
  }
  ASSERT_TRUE(trust_texts(trial_.path("home/skills"), {trial_.path("proj/ext")}));
  EXPECT_EQ(trust_of("one", {"/"}), Trust::local);
  trial_.put("proj/ext/one/SKILL.md", "---\nname: one\ndescription: d\n---\nOther.\n");
  EXPECT_EQ(trust_of("one", {"/"}), Trust::agent_created);
}

TEST_F(SkillTrustRuleTest, ALinkInTheHomeCountsForWhereItLeads) {
  put("proj/mine", "mine");
  put("proj/file", "file");
  put("home/skills/real", "real");
  trial_.link("home/skills/mine", trial_.path("proj/mine"));
  trial_.put("home/skills/own/notes.txt", "");
  trial_.link("home/skills/own/SKILL.md", trial_.path("proj/file/SKILL.md"));
  EXPECT_EQ(trust_of("mine", {}), Trust::local);
  EXPECT_EQ(trust_of("mine", {trial_.path("proj")}), Trust::agent_created);
  EXPECT_EQ(trust_of("file", {trial_.path("proj")}), Trust::agent_created);
  EXPECT_EQ(trust_of("real", {trial_.path("proj"), trial_.folder(), "/"}), Trust::local) << "nobody writes in the home";
  ASSERT_TRUE(trust_texts(trial_.path("home/skills"), {trial_.path("proj/mine")}));
  EXPECT_EQ(trust_of("mine", {trial_.path("proj")}), Trust::local);
}

TEST_F(SkillTrustRuleTest, ALinkInAnAgentsPlaceIsTheirsWhereverItLeads) {
  put("elsewhere/two", "two");
  trial_.link("proj/ext/two", trial_.path("elsewhere/two"));
  EXPECT_EQ(trust_of("two", {trial_.path("proj")}), Trust::agent_created);
}

TEST_F(SkillTrustRuleTest, WhatTheOriginsOrTheSourceSayHolds) {
  put("home/skills/by-agent", "by-agent");
  trial_.put("home/skills/.talaria/origins.json", R"({"by-agent": {"trust": "agent-created"}})");
  put("proj/.agents/skills/ours", "ours");
  put("other/theirs", "theirs");
  put("bundled/shipped", "shipped");
  EXPECT_EQ(trust_of("by-agent", {}), Trust::agent_created);
  EXPECT_EQ(trust_of("ours", {}), Trust::agent_created) << "everybody who works in a project writes there";
  EXPECT_EQ(trust_of("theirs", {}), Trust::community);
  EXPECT_EQ(trust_of("theirs", {"/"}), Trust::agent_created);
  EXPECT_EQ(trust_of("shipped", {"/"}), Trust::builtin);
  ASSERT_TRUE(trust_texts(trial_.path("home/skills"), {trial_.path("other"), trial_.path("proj/.agents/skills")}));
  EXPECT_EQ(trust_of("ours", {}), Trust::local);
  EXPECT_EQ(trust_of("theirs", {}), Trust::local);
  EXPECT_EQ(trust_of("theirs", {"/"}), Trust::local);
}

}  // namespace
}  // namespace talaria
