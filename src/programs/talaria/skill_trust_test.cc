#include "talaria/skill_trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "config/settings.h"
#include "os/file.h"
#include "talaria/skill_switch.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SkillTrustTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::canonical(testing::TempDir()).string() + "/trustXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    home_ = Home{folder_ + "/home/.talaria", folder_ + "/home/.talaria/run"};
    project_ = folder_ + "/project";
    ASSERT_TRUE(make_directories(project_ + "/.git"));
    ASSERT_TRUE(make_directories(project_ + "/src/deep"));
    ASSERT_TRUE(make_directories(home_.root));
    before_ = std::filesystem::current_path().string();
    home_variable_ = std::getenv("HOME") ? std::getenv("HOME") : "";
    ::setenv("HOME", (folder_ + "/home").c_str(), 1);
    ::unsetenv("TALARIA_JOB");
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    ::setenv("HOME", home_variable_.c_str(), 1);
    ::unsetenv("TALARIA_JOB");
    ASSERT_TRUE(remove_tree(folder_));
  }

  void configure(const std::string& text) { ASSERT_TRUE(write_file_atomically(home_.config(), text)); }
  std::string config() { return *read_file(home_.config()); }
  SkillsSettings skills() { return load_settings(home_.config())->skills; }
  std::string refusal(const Result<TrustOutcome>& outcome) {
    EXPECT_FALSE(outcome);
    return outcome ? "" : outcome.error().message();
  }

  std::string folder_, project_, before_, home_variable_;
  Home home_;
};

TEST_F(SkillTrustTest, TrustsTheRepositoryAroundTheCurrentDirectory) {
  std::filesystem::current_path(project_ + "/src/deep");
  EXPECT_EQ(*trust_project(home_, std::nullopt), (TrustOutcome{project_, true}));
  EXPECT_EQ(*trust_project(home_, std::nullopt), (TrustOutcome{project_, false}));
  EXPECT_THAT(skills().trusted_project_dirs, ElementsAre(project_));
}

TEST_F(SkillTrustTest, StoresTheRealPathOfAGivenOne) {
  ASSERT_EQ(::symlink(project_.c_str(), (folder_ + "/link").c_str()), 0);
  EXPECT_EQ(trust_project(home_, folder_ + "/link/src/..")->project, project_);
  ASSERT_TRUE(make_directories(folder_ + "/plain"));
  EXPECT_EQ(trust_project(home_, folder_ + "/plain")->project, folder_ + "/plain");
  EXPECT_THAT(skills().trusted_project_dirs, ElementsAre(project_, folder_ + "/plain"));
}

TEST_F(SkillTrustTest, AWorktreeHasItsGitInAFile) {
  const std::string worktree = folder_ + "/worktree";
  ASSERT_TRUE(make_directories(worktree + "/src"));
  ASSERT_TRUE(write_file_atomically(worktree + "/.git", "gitdir: elsewhere\n"));
  EXPECT_EQ(trust_project(home_, worktree + "/src")->project, worktree);
}

TEST_F(SkillTrustTest, RefusesTheHomeTheRootAndWhatIsNoFolder) {
  EXPECT_THAT(refusal(trust_project(home_, "/")), HasSubstr("/ is no project"));
  EXPECT_THAT(refusal(trust_project(home_, folder_ + "/home")), HasSubstr("is your home"));
  EXPECT_THAT(refusal(trust_project(home_, folder_ + "/none")), HasSubstr("/none: No such file"));
  ASSERT_TRUE(write_file_atomically(folder_ + "/file", ""));
  EXPECT_THAT(refusal(trust_project(home_, folder_ + "/file")), HasSubstr("is not a folder"));
  std::filesystem::current_path(folder_);
  EXPECT_THAT(refusal(trust_project(home_, std::nullopt)), HasSubstr("no git repository here"));
  EXPECT_FALSE(exists(home_.config()));
}

TEST_F(SkillTrustTest, AHomeThatIsARepositoryIsStillNoProject) {
  ASSERT_TRUE(make_directories(folder_ + "/home/.git"));
  ASSERT_TRUE(make_directories(folder_ + "/home/code"));
  std::filesystem::current_path(folder_ + "/home/code");
  EXPECT_THAT(refusal(trust_project(home_, std::nullopt)), HasSubstr("is your home"));
  EXPECT_EQ(trust_project(home_, ".")->project, folder_ + "/home/code");
}

TEST_F(SkillTrustTest, UntrustTakesItAwayAndSaysWhenItWasNotTrusted) {
  configure("# mine\nskills:\n  trusted_project_dirs:\n  - /other   # stays\n");
  ASSERT_TRUE(trust_project(home_, project_));
  EXPECT_EQ(config(), "# mine\nskills:\n  trusted_project_dirs:\n  - /other   # stays\n  - " + project_ + "\n");
  EXPECT_EQ(*untrust_project(home_, project_ + "/src"), (TrustOutcome{project_, true}));
  EXPECT_EQ(config(), "# mine\nskills:\n  trusted_project_dirs:\n  - /other   # stays\n");
  EXPECT_EQ(refusal(untrust_project(home_, project_)), project_ + " is not trusted");
}

TEST_F(SkillTrustTest, AFolderThatIsGoneCanBeUntrusted) {
  ASSERT_TRUE(trust_project(home_, project_));
  ASSERT_TRUE(remove_tree(project_));
  EXPECT_TRUE(untrust_project(home_, project_ + "/"));
  EXPECT_THAT(skills().trusted_project_dirs, IsEmpty());
}

TEST_F(SkillTrustTest, AJobCanDoNoneOfThis) {
  ::setenv("TALARIA_JOB", "abcdefgh", 1);
  EXPECT_THAT(refusal(trust_project(home_, project_)), HasSubstr("from inside a job"));
  EXPECT_THAT(refusal(untrust_project(home_, project_)), HasSubstr("from inside a job"));
  EXPECT_THAT(disable_skills(home_, {"x"}).error().message(), HasSubstr("from inside a job"));
  EXPECT_THAT(enable_skills(home_, {"x"}).error().message(), HasSubstr("from inside a job"));
  EXPECT_FALSE(exists(home_.config()));
}

TEST_F(SkillTrustTest, AnInvalidFileIsNamedWithItsPlaceAndLeftAlone) {
  configure("exec: {timeout: soon}\n");
  EXPECT_THAT(refusal(trust_project(home_, project_)), HasSubstr(home_.config() + ":1:17: exec.timeout"));
  EXPECT_THAT(disable_skills(home_, {"x"}).error().message(), HasSubstr(home_.config() + ":1:17: exec.timeout"));
  configure("exec: [\n");
  EXPECT_THAT(refusal(untrust_project(home_, project_)), HasSubstr(home_.config() + ":2:1: "));
  EXPECT_EQ(config(), "exec: [\n");
}

using SkillSwitchTest = SkillTrustTest;

TEST_F(SkillSwitchTest, NamesThatMeanOneSkillAreTheSame) {
  EXPECT_TRUE(same_skill("My_Skill", "my-skill"));
  EXPECT_TRUE(same_skill("my skill ", "MY-SKILL"));
  EXPECT_FALSE(same_skill("my-skill", "my-skills"));
}

TEST_F(SkillSwitchTest, DisablesAndEnables) {
  configure("skills:\n  disabled: [old]  # kept\n");
  EXPECT_EQ(*disable_skills(home_, {"Git_Flow", "OLD", "arxiv", "git-flow"}),
            (SwitchOutcome{{"Git_Flow", "arxiv"}, {"OLD", "git-flow"}}));
  EXPECT_EQ(config(), "skills:\n  disabled: [old, Git_Flow, arxiv]  # kept\n");
  EXPECT_EQ(*enable_skills(home_, {"git-flow", "none", "old"}), (SwitchOutcome{{"git-flow", "old"}, {"none"}}));
  EXPECT_EQ(config(), "skills:\n  disabled: [arxiv]  # kept\n");
  EXPECT_FALSE(disable_skills(home_, {"fine", " "}));
  EXPECT_THAT(skills().disabled, ElementsAre("arxiv"));
}

}  // namespace
}  // namespace talaria
