#include "skills/skill_adopt.h"

#include <gtest/gtest.h>

#include "skills/catalog.h"
#include "skills/skill_edit_trial.h"
#include "skills/skill_history.h"
#include "skills/skill_trust.h"

namespace talaria {
namespace {

class SkillAdoptTest : public testing::Test {
 protected:
  void put_origins(const std::string& text) { skills.trial.put("skills/.talaria/origins.json", text); }
  std::string folder(const std::string& name) const { return skills.root() + "/" + name; }
  static std::string text(const std::string& name) { return "---\nname: " + name + "\ndescription: d\n---\nText.\n"; }
  void put_skill(const std::string& path, const std::string& name) {
    skills.trial.put("skills/" + path + "/SKILL.md", text(name));
  }
  // Where agents could write; gives its folder.
  std::string put_outside(const std::string& name) {
    const std::string place = skills.trial.outside_folder() + "/" + name;
    EXPECT_TRUE(make_directories(place, 0755));
    EXPECT_TRUE(write_file_atomically(place + "/SKILL.md", text(name), 0644));
    return place;
  }

  // As whoever loads it sees it, and agents could write outside of the home.
  std::string trust(const std::string& name) {
    const auto view = catalog.refresh({{skills.root(), SkillSource::home, Trust::local}});
    const Skill* skill = view->find(name);
    if (!skill) return "not found";
    SkillTrust judge(texts, skills.trial.folder(), {skills.trial.outside_folder()});
    return std::string(name_of(judge.of(*skill)));
  }
  bool untrust(const std::string& path) {
    const Result<bool> taken_back = untrust_skill(skills.root(), path);
    EXPECT_TRUE(taken_back) << taken_back.error().message();
    return taken_back && *taken_back;
  }

  EditTrial skills;
  Catalog catalog{skills.trial.path("index")};
  TrustedTexts texts{skills.root()};
};

TEST_F(SkillAdoptTest, TrustInWhatAnAgentWroteCanBeTakenBack) {
  ASSERT_TRUE(skills.create("demo"));
  const std::string before = skills.trial.content("skills/.talaria/origins.json");
  EXPECT_EQ(trust("demo"), "agent-created");
  ASSERT_TRUE(trust_skill(skills.root(), folder("demo")));
  EXPECT_EQ(trust("demo"), "local");
  EXPECT_TRUE(untrust(folder("demo")));
  EXPECT_EQ(trust("demo"), "agent-created");
  EXPECT_EQ(skills.trial.content("skills/.talaria/origins.json"), before);
  EXPECT_FALSE(untrust(folder("demo"))) << "it is not trusted any more";
}

TEST_F(SkillAdoptTest, WhatTheCommunityWroteIsTheirsAgain) {
  put_skill("hub", "hub");
  put_origins(R"({"hub": {"trust": "community", "from": "/there"}})");
  ASSERT_TRUE(trust_skill(skills.root(), folder("hub")));
  EXPECT_EQ(trust("hub"), "local");
  EXPECT_TRUE(untrust(folder("hub")));
  EXPECT_EQ(trust("hub"), "community");
}

TEST_F(SkillAdoptTest, APersonsOwnSkillHasNothingToTakeBack) {
  put_skill("mine", "mine");
  ASSERT_TRUE(trust_skill(skills.root(), folder("mine")));
  EXPECT_FALSE(untrust(folder("mine")));
  EXPECT_EQ(trust("mine"), "local");
}

TEST_F(SkillAdoptTest, ASkillInsideAnotherIsTrustedByItself) {
  put_skill("par", "par");
  put_skill("par/kid", "kid");
  put_origins(R"({"par": {"trust": "community"}})");
  ASSERT_TRUE(trust_skill(skills.root(), folder("par/kid")));
  EXPECT_EQ(trust("kid"), "local");
  EXPECT_EQ(trust("par"), "community");
  EXPECT_TRUE(untrust(folder("par/kid")));
  EXPECT_EQ(trust("kid"), "community");
  EXPECT_EQ(skills.trust("par/kid"), "local") << "it has no entry of its own again";
}

TEST_F(SkillAdoptTest, ALinkIsTrustedForItsMarkAndForTheTextItLeadsTo) {
  const std::string real = put_outside("linked");
  skills.trial.link("skills/linked", real);
  put_origins(R"({"linked": {"trust": "agent-created"}})");
  ASSERT_TRUE(trust_skill(skills.root(), folder("linked")));
  EXPECT_EQ(trust("linked"), "local");
  EXPECT_TRUE(untrust(folder("linked")));
  EXPECT_EQ(trust("linked"), "agent-created");
  ASSERT_TRUE(trust_skill(skills.root(), folder("linked")));
  EXPECT_TRUE(untrust(real)) << "by its real path";
  EXPECT_EQ(trust("linked"), "agent-created");
  put_origins("{}");
  EXPECT_EQ(trust("linked"), "agent-created") << "its text is not trusted either";
}

TEST_F(SkillAdoptTest, AnAgentsChangeEndsTheTrustAndItsUndoBringsItBack) {
  ASSERT_TRUE(skills.create("demo"));
  ASSERT_TRUE(trust_skill(skills.root(), folder("demo")));
  ASSERT_TRUE(skills.rewrite("demo", "Other.\n"));
  EXPECT_EQ(trust("demo"), "agent-created");
  ASSERT_TRUE(undo_skill(skills.root(), "demo", std::nullopt, "me"));
  EXPECT_EQ(trust("demo"), "local");
  EXPECT_TRUE(untrust(folder("demo")));
  EXPECT_EQ(trust("demo"), "agent-created");
}

TEST_F(SkillAdoptTest, AStrangersSkillThatAnAgentChangesIsNotTheAgents) {
  put_skill("hub", "hub");
  put_origins(R"({"hub": {"trust": "community"}})");
  ASSERT_TRUE(trust_skill(skills.root(), folder("hub")));
  ASSERT_TRUE(skills.rewrite("hub", "Other.\n"));
  EXPECT_EQ(trust("hub"), "community");
}

}  // namespace
}  // namespace talaria
