#include "skills/skill_roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skills/catalog_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A person's home, a Talaria home in it, and a project.
class SkillRootsTest : public testing::Test {
 protected:
  SkillRootsTest() {
    trial.make_folder("home/.talaria/skills");
    trial.make_folder("home/work/project/.git");
    trial.make_folder("home/work/project/src/deep");
    places.talaria_home = trial.path("home/.talaria");
    places.home = trial.path("home");
    places.cwd = trial.path("home/work/project/src/deep");
    places.variable = [](const std::string& name) -> std::optional<std::string> {
      if (name == "SKILLS") return "elsewhere";
      if (name == "EMPTY") return "";
      return std::nullopt;
    };
  }

  std::vector<std::string> paths() {
    std::vector<std::string> found;
    for (const SkillRoot& root : find_skill_roots(places).roots) {
      found.push_back(std::string(name_of(root.source)) + " " + root.path.substr(trial.folder().size() + 1));
    }
    return found;
  }
  std::vector<std::string> messages() {
    std::vector<std::string> found;
    for (const CatalogDiagnostic& diagnostic : find_skill_roots(places).diagnostics) {
      found.push_back(diagnostic.message);
    }
    return found;
  }

  CatalogTrial trial;
  SkillPlaces places;
  const std::string project = "home/work/project";
};

TEST_F(SkillRootsTest, AreInTheOrderOfPrecedence) {
  for (const char* name : {"/.talaria/skills", "/.agents/skills", "/.claude/skills", "/.hermes/skills"}) {
    trial.make_folder(project + name);
  }
  trial.make_folder("home/.agents/skills");
  trial.make_folder("home/.hermes/skills");
  trial.make_folder("outside");
  trial.make_folder("bundled");
  places.trusted_projects = {trial.path(project)};
  places.external_dirs = {trial.path("outside")};
  places.bundled = trial.path("bundled");
  EXPECT_THAT(paths(),
              ElementsAre("project home/work/project/.talaria/skills", "project home/work/project/.agents/skills",
                          "project home/work/project/.claude/skills", "project home/work/project/.hermes/skills",
                          "home home/.talaria/skills", "agents home/.agents/skills", "external outside",
                          "external home/.hermes/skills", "bundled bundled"));
  EXPECT_THAT(messages(), IsEmpty());
}

TEST_F(SkillRootsTest, TrustFollowsFromThePlace) {
  trial.make_folder("home/.hermes/skills");
  trial.make_folder("bundled");
  places.bundled = trial.path("bundled");
  const SkillRoots found = find_skill_roots(places);
  EXPECT_THAT(found.roots, ElementsAre(trial.root("home/.talaria/skills", SkillSource::home, Trust::local),
                                       trial.root("home/.hermes/skills", SkillSource::external, Trust::community),
                                       trial.root("bundled", SkillSource::bundled, Trust::builtin)));
}

TEST_F(SkillRootsTest, HaveTheTalariaHomeAlsoWhenItHasNoSkillsYet) {
  trial.remove("home/.talaria/skills");
  EXPECT_THAT(paths(), ElementsAre("home home/.talaria/skills"));
}

TEST_F(SkillRootsTest, AnUntrustedProjectIsOnlySpokenOf) {
  trial.put_skill(project + "/.agents/skills/one");
  trial.put_skill(project + "/.claude/skills/category/two");
  trial.put_skill(project + "/.claude/skills/node_modules/three");
  EXPECT_THAT(paths(), ElementsAre("home home/.talaria/skills"));
  EXPECT_THAT(messages(), ElementsAre("2 project skills in " + trial.path(project) +
                                      " are not shown; talaria skills trust " + trial.path(project)));
}

TEST_F(SkillRootsTest, OneSkillIsOne) {
  trial.put_skill(project + "/.talaria/skills/one");
  EXPECT_THAT(messages(), ElementsAre(HasSubstr("1 project skill in " + trial.path(project) + " is not shown")));
}

TEST_F(SkillRootsTest, AnUntrustedProjectWithoutSkillsIsNotSpokenOf) {
  trial.make_folder(project + "/.agents/skills/empty");
  EXPECT_THAT(messages(), IsEmpty());
}

TEST_F(SkillRootsTest, CountsNoFurtherThanItTakesToTell) {
  for (int i = 0; i < 600; ++i) trial.put_skill(project + "/.agents/skills/skill-" + std::to_string(i));
  EXPECT_THAT(messages(), ElementsAre(HasSubstr("499 or more project skills")));
}

TEST_F(SkillRootsTest, TrustIsOfTheRealPathWhateverLinksLeadToIt) {
  trial.put_skill(project + "/.agents/skills/one");
  trial.link("home/shortcut", "work/project");
  places.cwd = trial.path("home/shortcut/src");
  places.trusted_projects = {trial.path("home/shortcut") + "/"};
  EXPECT_THAT(paths(), ElementsAre("project home/work/project/.agents/skills", "home home/.talaria/skills"));
}

TEST_F(SkillRootsTest, ExternalFoldersAreExpanded) {
  for (const char* name : {"home/mine", "home/.talaria/beside", "home/.talaria/elsewhere/x"}) trial.make_folder(name);
  places.external_dirs = {"~/mine", "beside", "${SKILLS}/x"};
  EXPECT_THAT(paths(), ElementsAre("home home/.talaria/skills", "external home/mine", "external home/.talaria/beside",
                                   "external home/.talaria/elsewhere/x"));
}

TEST_F(SkillRootsTest, ExternalFoldersThatAreNotThereAreSaidToBeLeftOut) {
  trial.put("home/file", "x");
  places.external_dirs = {"~/none", "${UNSET}/x", "${EMPTY}/x", "${SKILLS", " ", "~/file"};
  EXPECT_THAT(paths(), ElementsAre("home home/.talaria/skills"));
  EXPECT_THAT(messages(), ElementsAre(HasSubstr("there is no such folder"), HasSubstr("the variable UNSET is not set"),
                                      HasSubstr("the variable EMPTY is not set"), HasSubstr("${ without its }"),
                                      HasSubstr("an empty path"), HasSubstr("there is no such folder")));
}

TEST_F(SkillRootsTest, OneFolderIsOneRoot) {
  trial.make_folder("outside");
  trial.link("again", "outside");
  trial.link("home/.agents/skills", trial.path("home/.talaria/skills"));
  places.external_dirs = {trial.path("outside") + "//", trial.path("again"), trial.path("outside"),
                          trial.path("home/.talaria/skills")};
  EXPECT_THAT(paths(), ElementsAre("home home/.talaria/skills", "external outside"));
  EXPECT_THAT(messages(), IsEmpty());
}

TEST_F(SkillRootsTest, AProjectThatLinksToTheHomeDoesNotTakeItsPlace) {
  trial.link(project + "/.agents/skills", trial.path("home/.talaria/skills"));
  places.trusted_projects = {trial.path(project)};
  EXPECT_THAT(paths(), ElementsAre("home home/.talaria/skills"));
}

TEST_F(SkillRootsTest, TheHermesHomeMayBeElsewhere) {
  trial.make_folder("home/.hermes/skills");
  trial.make_folder("other/skills");
  places.hermes_home = trial.path("other");
  EXPECT_THAT(paths(), ElementsAre("home home/.talaria/skills", "external other/skills"));
}

TEST_F(SkillRootsTest, TheGitRootIsTheNearestFolderWithDotGit) {
  EXPECT_EQ(git_root_of(places.cwd, places.home), trial.path(project));
  trial.put(project + "/src/.git", "gitdir: ../elsewhere");
  EXPECT_EQ(git_root_of(places.cwd, places.home), trial.path(project + "/src"));
}

TEST_F(SkillRootsTest, TheHomeIsNoProject) {
  trial.make_folder("home/.git");
  trial.make_folder(".git");
  EXPECT_EQ(git_root_of(trial.path("home/work"), places.home), "");
  EXPECT_EQ(git_root_of(places.home, places.home), "");
  EXPECT_EQ(git_root_of(trial.path("home/.talaria"), trial.path("home/work")), trial.path("home"));
}

TEST_F(SkillRootsTest, TheGitRootIsLookedForUpToALimit) {
  std::string deep = project;
  for (int i = 0; i < 70; ++i) deep += "/d";
  trial.make_folder(deep);
  EXPECT_EQ(git_root_of(trial.path(deep), places.home), "");
  EXPECT_EQ(git_root_of(trial.path(deep.substr(0, deep.size() - 40)), places.home), trial.path(project));
}

TEST_F(SkillRootsTest, ADirectoryThatIsGoneHasNoProject) {
  EXPECT_EQ(git_root_of(trial.path("none"), places.home), "");
  EXPECT_EQ(git_root_of("", places.home), "");
}

}  // namespace
}  // namespace talaria
