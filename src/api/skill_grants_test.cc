#include "api/skill_grants.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "os/file.h"
#include "skills/catalog.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* declares =
    "required_environment_variables: [KEY, MORE]\nrequired_credential_files: [token.json]\n"
    "metadata: {hermes: {config: [{key: one.dir, description: d}]}}\n";

class StandingSkillsTest : public testing::Test {
 protected:
  StandingSkillsTest() {
    around_.login = std::make_shared<const Environment>(Environment{{"HOME", folder_ + "/home"}});
    around_.home.root = folder_ + "/own";
    around_.settings = std::make_shared<const Settings>(settings_);
    around_.directory = folder_;
    EXPECT_TRUE(make_directories(folder_ + "/own/skills"));
  }
  ~StandingSkillsTest() override { (void)remove_tree(folder_); }

  static std::string new_folder() {
    std::string folder = testing::TempDir() + "standing." + std::to_string(::getpid());
    (void)remove_tree(folder);
    EXPECT_TRUE(make_directories(folder));
    return real_or_given_path(folder);
  }
  // The skill `one`, and what a session keeps of it.
  SessionSkill put(const std::string& directory, const std::string& fields = declares) {
    EXPECT_TRUE(make_directories(directory));
    const std::string text = "---\nname: one\ndescription: d\n" + fields + "---\nText.\n";
    EXPECT_TRUE(write_file_atomically(directory + "/SKILL.md", text, 0644));
    return {"one", directory, directory + "/SKILL.md", {"KEY", "MORE"}, {"token.json"}, {"one.dir"}, folder_, {}};
  }
  SessionSkill put_home() { return put(folder_ + "/own/skills/one"); }
  std::vector<SessionSkill> standing(const SessionSkill& skill) {
    around_.settings = std::make_shared<const Settings>(settings_);
    return StandingSkills(catalog_, texts_, around_).among({skill});
  }
  static SessionSkill without_needs(SessionSkill skill) {
    skill.variables.clear(), skill.credentials.clear(), skill.settings.clear();
    return skill;
  }

  std::string folder_ = new_folder();
  Settings settings_;
  SkillSurroundings around_;
  Catalog catalog_{folder_ + "/index"};
  TrustedTexts texts_{folder_ + "/own/skills"};
};

TEST_F(StandingSkillsTest, ALoadedSkillStandsWhileItIsThere) {
  const SessionSkill skill = put_home();
  EXPECT_THAT(standing(skill), ElementsAre(skill));
  ASSERT_TRUE(remove_tree(skill.directory));
  EXPECT_THAT(standing(skill), IsEmpty());
  put_home();
  EXPECT_THAT(standing(skill), ElementsAre(skill));
}

TEST_F(StandingSkillsTest, NotWhileItIsDisabled) {
  const SessionSkill skill = put_home();
  around_.available.disabled = {"one"};
  EXPECT_THAT(standing(skill), IsEmpty());
  around_.available.disabled.clear();
  EXPECT_THAT(standing(skill), ElementsAre(skill));
}

TEST_F(StandingSkillsTest, OfAnUntrustedTextOnlyTheFolderStands) {
  const SessionSkill skill = put_home();
  ASSERT_TRUE(make_directories(folder_ + "/own/skills/.talaria"));
  const std::string origins = folder_ + "/own/skills/.talaria/origins.json";
  ASSERT_TRUE(write_file_atomically(origins, R"({"one": {"trust": "agent-created"}})"));
  EXPECT_THAT(standing(skill), ElementsAre(without_needs(skill)));
  ASSERT_TRUE(write_file_atomically(origins, "{}"));
  EXPECT_THAT(standing(skill), ElementsAre(skill));
}

TEST_F(StandingSkillsTest, WhereAgentsCanWriteOnlyTheTextThatWasTrustedStandsWhole) {
  settings_.skills.external_dirs = {folder_ + "/ext"};
  around_.agent_places = {folder_ + "/ext"};
  const SessionSkill skill = put(folder_ + "/ext/one");
  EXPECT_THAT(standing(skill), ElementsAre(without_needs(skill)));
  ASSERT_TRUE(trust_texts(folder_ + "/own/skills", {folder_ + "/ext"}));
  EXPECT_THAT(standing(skill), ElementsAre(skill));
  put(skill.directory, std::string(declares) + "version: 2\n");
  EXPECT_THAT(standing(skill), ElementsAre(without_needs(skill)));
}

// What is trusted and what is declared must not be of two different texts.
TEST_F(StandingSkillsTest, WhoeverExchangesTheTextMeanwhileGetsNothingByIt) {
  settings_.skills.external_dirs = {folder_ + "/ext"};
  around_.agent_places = {folder_ + "/ext"};
  SessionSkill skill = put(folder_ + "/ext/one", "required_environment_variables: [MORE]\n");
  ASSERT_TRUE(trust_texts(folder_ + "/own/skills", {folder_ + "/ext"}));
  put(folder_ + "/aside", "required_environment_variables: [KEYS]\n");  // as long as the other
  skill.variables = {"KEYS"};
  std::atomic<bool> over = false;
  std::thread agent([&] {
    while (!over) {
      ::renameat2(AT_FDCWD, skill.directory.c_str(), AT_FDCWD, (folder_ + "/aside").c_str(), RENAME_EXCHANGE);
    }
  });
  for (int i = 0; i < 300; ++i) {
    for (const SessionSkill& one : standing(skill)) EXPECT_THAT(one.variables, IsEmpty());
  }
  over = true;
  agent.join();
}

TEST_F(StandingSkillsTest, WhatIsNotDeclaredAnyMoreDoesNotStand) {
  const SessionSkill skill = put_home();
  put(skill.directory, "required_environment_variables: [MORE, OTHER]\n");
  SessionSkill left = without_needs(skill);
  left.variables = {"MORE"};
  EXPECT_THAT(standing(skill), ElementsAre(left));
}

TEST_F(StandingSkillsTest, AnotherOneThatTookItsNameMakesNoDifference) {
  settings_.skills.external_dirs = {folder_ + "/ext"};
  const SessionSkill skill = put(folder_ + "/ext/one");
  EXPECT_THAT(standing(skill), ElementsAre(skill));
  const SessionSkill winner = put_home();
  EXPECT_THAT(standing(skill), ElementsAre(skill));
  settings_.skills.external_dirs.clear();
  EXPECT_THAT(standing(skill), IsEmpty()) << "the other one was not loaded";
}

TEST_F(StandingSkillsTest, ItIsLookedForAsWhoeverLoadedItDid) {
  SessionSkill skill = put(folder_ + "/hermes/skills/one");
  EXPECT_THAT(standing(skill), IsEmpty());
  around_.client = {{"HERMES_HOME", folder_ + "/hermes"}, {"HOME", folder_ + "/home"}, {"OTHER", "x"}};
  skill.looked_with = leading_variables(around_);
  EXPECT_EQ(skill.looked_with, (Environment{{"HERMES_HOME", folder_ + "/hermes"}}));
  around_.client.clear();
  EXPECT_THAT(standing(skill), ElementsAre(without_needs(skill))) << "strangers write there";
}

TEST_F(StandingSkillsTest, AFolderThatLeadsElsewhereNowDoesNotStand) {
  const SessionSkill skill = put_home();
  ASSERT_EQ(::rename(skill.directory.c_str(), (folder_ + "/moved").c_str()), 0);
  ASSERT_EQ(::symlink((folder_ + "/moved").c_str(), skill.directory.c_str()), 0);
  EXPECT_THAT(standing(skill), IsEmpty());
}

}  // namespace
}  // namespace talaria
