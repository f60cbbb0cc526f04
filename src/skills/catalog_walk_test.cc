#include "skills/catalog_walk.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <functional>

#include "skills/catalog_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class CatalogWalkTest : public testing::Test {
 protected:
  // By a catalog that has seen all before, which must be the same as by one that has not.
  std::vector<std::string> found() {
    const auto view = catalog.refresh(roots);
    Catalog fresh(trial.path("none/index"));
    const auto cold = fresh.refresh(roots);
    EXPECT_EQ(found_folders(*view, trial.path("skills")), found_folders(*cold, trial.path("skills")));
    EXPECT_EQ(view->diagnostics(), cold->diagnostics());
    diagnostics = view->diagnostics();
    return found_folders(*view, trial.path("skills"));
  }

  CatalogTrial trial;
  std::vector<SkillRoot> roots = {trial.root("skills")};
  Catalog catalog{trial.index()};
  std::vector<CatalogDiagnostic> diagnostics;
};

TEST_F(CatalogWalkTest, GoesSixFoldersDeep) {
  trial.put_skill("skills/1/2/3/4/5/six");
  trial.put_skill("skills/1/2/3/4/5/6/seven");
  EXPECT_THAT(found(), ElementsAre("1/2/3/4/5/six"));
}

TEST_F(CatalogWalkTest, SaysOnceThatThereAreDeeperFolders) {
  trial.put_skill("skills/1/2/3/4/5/6/seven");
  trial.put_skill("skills/a/b/c/d/e/f/seven");
  trial.put_skill("skills/own");
  trial.put("skills/own/b/c/d/e/f/g/data.txt", "Part of a skill");
  auto view = catalog.refresh(roots);
  ASSERT_EQ(view->diagnostics().size(), 1U);
  EXPECT_EQ(view->diagnostics()[0].path, trial.path("skills/1/2/3/4/5/6"));
  EXPECT_THAT(view->diagnostics()[0].message, testing::HasSubstr("more than 6 levels below"));
  trial.remove("skills/1");
  trial.remove("skills/a");
  EXPECT_THAT(catalog.refresh(roots)->diagnostics(), IsEmpty());
}

TEST_F(CatalogWalkTest, SaysWhatIsNotReadThoughItIsCalledLikeASkillsFile) {
  trial.make_folder("skills/a/SKILL.md");
  trial.put("skills/b/Skill.md", trial.text_of("b", "Mixed"));
  trial.put_skill("skills/c");
  trial.put("skills/c/skill.md", trial.text_of("c", "Another"));
  EXPECT_THAT(found(), ElementsAre("c"));
  const auto said = [&](const std::string& path, const std::string& message) {
    return Contains(CatalogDiagnostic{Severity::warning, trial.path("skills/" + path), message});
  };
  EXPECT_THAT(diagnostics, AllOf(said("a/SKILL.md", "is a folder, so it is not read as a skill"),
                                 said("b/Skill.md", "is not read: a skill's file is called SKILL.md"),
                                 said("c/skill.md", "is not read: SKILL.md beside it is")));
  EXPECT_EQ(diagnostics.size(), 3U);
}

TEST_F(CatalogWalkTest, ARootMayBeASkillItself) {
  trial.put("skills/SKILL.md", "---\ndescription: The root\n---\n");
  trial.put_skill("skills/below");
  const auto view = catalog.refresh(roots);
  ASSERT_EQ(view->skills().size(), 2U);
  EXPECT_EQ(view->find("skills")->directory, trial.path("skills"));
  EXPECT_EQ(view->find("skills")->category, "");
}

TEST_F(CatalogWalkTest, FindsSkillsInsideOfSkillsButNotInTheirSupportFolders) {
  trial.put_skill("skills/outer");
  trial.put_skill("skills/outer/inner");
  trial.put_skill("skills/outer/templates/sample");
  trial.put_skill("skills/outer/inner/deeper/scripts/x");
  trial.put_skill("skills/scripts/tool");
  EXPECT_THAT(found(), ElementsAre("outer", "outer/inner", "outer/inner/deeper/scripts/x", "scripts/tool"));
  EXPECT_EQ(catalog.refresh(roots)->find("inner")->category, "outer");
}

TEST_F(CatalogWalkTest, FollowsLinksToFoldersAndFiles) {
  trial.put_skill("elsewhere/one");
  trial.put("elsewhere/two/SKILL.md", trial.text_of("two", "A file"));
  trial.link("skills/a/one", "../../elsewhere/one");
  trial.link("skills/two/SKILL.md", trial.path("elsewhere/two/SKILL.md"));
  trial.put("elsewhere/three.md", trial.text_of("three", "Of another name"));
  trial.link("skills/three/SKILL.md", trial.path("elsewhere/three.md"));
  EXPECT_THAT(found(), ElementsAre("a/one", "two"));
  EXPECT_EQ(catalog.refresh(roots)->find("one")->directory, trial.path("skills/a/one"));
}

TEST_F(CatalogWalkTest, CutsCyclesAndRepeats) {
  trial.put_skill("skills/real/one");
  trial.link("skills/real/self", ".");
  trial.link("skills/real/up", "..");
  trial.link("skills/real/one/root", trial.path("skills"));
  trial.link("skills/again", "real");
  trial.link("skills/0-first", "real/one");
  trial.link("skills/loop", "loop");
  EXPECT_THAT(found(), ElementsAre("real/one"));
  EXPECT_THAT(diagnostics, ElementsAre(Field(&CatalogDiagnostic::path, trial.path("skills/loop"))));
}

TEST_F(CatalogWalkTest, AFolderOutsideIsMetByTheFirstOfTheLinksToIt) {
  trial.put_skill("elsewhere/x/one");
  trial.link("skills/c", trial.path("elsewhere"));
  trial.link("skills/b", trial.path("elsewhere/x"));
  trial.link("skills/d", trial.path("elsewhere/x/one"));
  EXPECT_THAT(found(), ElementsAre("b/one"));
  trial.remove("skills/b");
  EXPECT_THAT(found(), ElementsAre("c/x/one"));
}

TEST_F(CatalogWalkTest, ManyLinksToEachOtherAreNoMaze) {
  for (int i = 0; i < 30; ++i) {
    const std::string folder = "skills/f" + std::to_string(i);
    trial.put_skill(folder + "/s" + std::to_string(i));
    for (int j = 0; j < 30; ++j) trial.link(folder + "/l" + std::to_string(j), "../f" + std::to_string(j));
  }
  EXPECT_EQ(found().size(), 30U);
}

TEST_F(CatalogWalkTest, LinksBetweenRootsGiveOneSkill) {
  trial.put_skill("skills/one");
  trial.link("other/one", trial.path("skills/one"));
  trial.link("other/all", trial.path("skills"));
  roots.push_back(trial.root("other"));
  const auto view = catalog.refresh(roots);
  EXPECT_EQ(view->skills().size(), 1U);
  EXPECT_THAT(view->shadowed(), IsEmpty());
}

TEST_F(CatalogWalkTest, SeesALinkThatComesToLeadElsewhere) {
  trial.put_skill("elsewhere/old/one");
  trial.put_skill("elsewhere/new/two");
  trial.link("current", "elsewhere/old");
  trial.link("skills/linked", trial.path("current"));
  EXPECT_THAT(found(), ElementsAre("linked/one"));
  settle(catalog, roots);
  trial.remove("current");
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_THAT(diagnostics, ElementsAre(AllOf(Field(&CatalogDiagnostic::path, trial.path("skills/linked")),
                                             Field(&CatalogDiagnostic::severity, Severity::note))));
  settle(catalog, roots);
  trial.link("current", "elsewhere/new");
  EXPECT_THAT(found(), ElementsAre("linked/two"));
  EXPECT_THAT(diagnostics, IsEmpty());
}

TEST_F(CatalogWalkTest, SeesAChangeBehindALinkedFile) {
  trial.put("elsewhere/one/SKILL.md", trial.text_of("one", "First"));
  trial.link("skills/one/SKILL.md", trial.path("elsewhere/one/SKILL.md"));
  settle(catalog, roots);
  trial.put("elsewhere/one/SKILL.md", trial.text_of("one", "Second"));
  EXPECT_EQ(catalog.refresh(roots)->find("one")->card.description, "Second");
  settle(catalog, roots);
  trial.remove("elsewhere/one/SKILL.md");
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_THAT(diagnostics, ElementsAre(Field(&CatalogDiagnostic::message, HasSubstr("leads nowhere"))));
  settle(catalog, roots);
  trial.put("elsewhere/one/SKILL.md", trial.text_of("one", "Third"));
  EXPECT_THAT(found(), ElementsAre("one"));
}

TEST_F(CatalogWalkTest, ALinkInsideASkillIsItsOwnAffair) {
  trial.put_skill("skills/one");
  trial.link("skills/one/broken", "nowhere");
  EXPECT_THAT(found(), ElementsAre("one"));
  EXPECT_THAT(diagnostics, IsEmpty());
}

TEST_F(CatalogWalkTest, ReportsAFileThatIsNoFileAndGoesOn) {
  trial.put_skill("skills/good");
  trial.make_folder("skills/pipe");
  ASSERT_EQ(::mkfifo(trial.path("skills/pipe/SKILL.md").c_str(), 0644), 0);
  trial.link("skills/device/SKILL.md", "/dev/zero");
  EXPECT_THAT(found(), ElementsAre("good"));
  EXPECT_THAT(diagnostics, ElementsAre(Field(&CatalogDiagnostic::path, trial.path("skills/device/SKILL.md")),
                                       Field(&CatalogDiagnostic::path, trial.path("skills/pipe/SKILL.md"))));
}

TEST_F(CatalogWalkTest, NamesOfAnyBytesAreFound) {
  trial.put("skills/\xff\xfe/new\nline/SKILL.md", "---\ndescription: Odd\n---\n");
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(CatalogWalkTest, ARootThatIsAFileIsReported) {
  trial.put("skills", "x");
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_THAT(diagnostics, ElementsAre(Field(&CatalogDiagnostic::path, trial.path("skills"))));
}

// Calls `test` in a process that file modes hold for, even if ours is root; true if it did.
bool holds_for_an_ordinary_user(const std::function<bool()>& test) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool ordinary =
        ::geteuid() != 0 || (::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0);
    ::_exit(ordinary && test() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(CatalogWalkTest, WhatCannotBeReadIsReportedAndGoesOn) {
  trial.put_skill("skills/good");
  trial.put_skill("skills/closed/one");
  trial.put_skill("skills/secret");
  ASSERT_EQ(::chmod(trial.path("skills/closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod(trial.path("skills/secret/SKILL.md").c_str(), 0), 0);
  EXPECT_TRUE(holds_for_an_ordinary_user([&] {
    Catalog own(trial.path("none/index"));
    const auto view = settle(own, roots);
    return found_folders(*view, trial.path("skills")) == std::vector<std::string>{"good"} &&
           view->diagnostics().size() == 2 && view->diagnostics()[0].path == trial.path("skills/closed") &&
           view->diagnostics()[1].path == trial.path("skills/secret/SKILL.md") && own.refresh(roots) == view;
  }));
  ASSERT_EQ(::chmod(trial.path("skills/closed").c_str(), 0755), 0);
}

TEST_F(CatalogWalkTest, AClosedRootIsReported) {
  trial.put_skill("skills/one");
  ASSERT_EQ(::chmod(trial.path("skills").c_str(), 0), 0);
  EXPECT_TRUE(holds_for_an_ordinary_user([&] {
    Catalog own(trial.path("none/index"));
    const auto view = own.refresh(roots);
    return view->skills().empty() && view->diagnostics().size() == 1;
  }));
  ASSERT_EQ(::chmod(trial.path("skills").c_str(), 0755), 0);
}

TEST_F(CatalogWalkTest, EndsAfterManyFolders) {
  const UniqueFd directory(::open(trial.make_folder("skills").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  // As the index would remember it: folders that are not there need not be made.
  auto top = std::make_shared<CatalogFolder>();
  for (size_t i = 0; i < most_catalog_folders + 10; ++i) top->folders.push_back(std::to_string(1'000'000 + i));
  top->seen.stamp.inode = 1;
  CatalogFolders known = {top};
  std::vector<char> unchanged = {1};
  for (int i = 0; i < 100; ++i) {
    auto gone = std::make_shared<CatalogFolder>();
    gone->path = "gone-" + std::to_string(i);
    known.push_back(gone);
    unchanged.push_back(0);
  }
  const SkillOrigins origins;
  CatalogWork work;
  const FolderWalk walk =
      walk_folders({roots[0], directory.get(), roots[0].path, origins}, {FolderVisit()}, known, unchanged, work);
  EXPECT_EQ(work.folders_looked_at, most_catalog_folders - 1);
  EXPECT_THAT(walk.diagnostics, ElementsAre(Field(&CatalogDiagnostic::message, HasSubstr("more than 200000 folders"))));
}

}  // namespace
}  // namespace talaria
