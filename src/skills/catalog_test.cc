#include "skills/catalog.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skills/catalog_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CatalogTest : public testing::Test {
 protected:
  std::vector<std::string> refreshed() { return found_folders(*catalog.refresh(roots), trial.path("skills")); }
  std::string description_of(const std::string& name) {
    const auto view = catalog.refresh(roots);
    const Skill* skill = view->find(name);
    return skill ? skill->card.description : "";
  }

  CatalogTrial trial;
  std::vector<SkillRoot> roots = {trial.root("skills")};
  Clock::time_point now = Clock::now();
  Catalog catalog{trial.index(), [this] { return now; }};
};

TEST_F(CatalogTest, FindsSkillsWithTheirPlace) {
  trial.put_skill("skills/research/arxiv", "Finds papers");
  roots = {trial.root("skills", SkillSource::agents, Trust::trusted)};
  const auto view = catalog.refresh(roots);
  ASSERT_EQ(view->skills().size(), 1U);
  const Skill& skill = *view->skills()[0];
  EXPECT_EQ(skill.card.name, "arxiv");
  EXPECT_EQ(skill.card.description, "Finds papers");
  EXPECT_EQ(skill.directory, trial.path("skills/research/arxiv"));
  EXPECT_EQ(skill.file, trial.path("skills/research/arxiv/SKILL.md"));
  EXPECT_EQ(skill.category, "research");
  EXPECT_EQ(skill.source, SkillSource::agents);
  EXPECT_EQ(skill.trust, Trust::trusted);
  struct stat info {};
  ASSERT_EQ(::stat(skill.file.c_str(), &info), 0);
  EXPECT_EQ(skill.stamp, file_stamp(info));
}

TEST_F(CatalogTest, SeesWhatIsNewEditedRenamedAndRemoved) {
  EXPECT_THAT(refreshed(), IsEmpty());
  trial.put_skill("skills/one", "First");
  EXPECT_THAT(refreshed(), ElementsAre("one"));
  trial.put_skill("skills/a/two");
  EXPECT_THAT(refreshed(), ElementsAre("a/two", "one"));
  trial.put_skill("skills/one", "Second");
  EXPECT_EQ(description_of("one"), "Second");
  trial.rename("skills/a", "skills/b");
  EXPECT_THAT(refreshed(), ElementsAre("b/two", "one"));
  trial.rename("skills/b/two/SKILL.md", "skills/b/two/skill.md");
  EXPECT_THAT(refreshed(), ElementsAre("b/two", "one"));
  trial.remove("skills/one/SKILL.md");
  EXPECT_THAT(refreshed(), ElementsAre("b/two"));
  trial.remove("skills");
  EXPECT_THAT(refreshed(), IsEmpty());
}

TEST_F(CatalogTest, SeesTheSameChangesWhenAllHadSettled) {
  trial.put_skill("skills/one", "First");
  trial.put_skill("skills/a/two");
  settle(catalog, roots);
  trial.put_skill("skills/one", "Second");
  EXPECT_EQ(description_of("one"), "Second");
  settle(catalog, roots);
  CHECK(write_file_atomically(trial.path("skills/one/SKILL.md"), trial.text_of("one", "Third"), 0644, Durable::no));
  EXPECT_EQ(description_of("one"), "Third");
  settle(catalog, roots);
  trial.rename("skills/a", "skills/b");
  EXPECT_THAT(refreshed(), ElementsAre("b/two", "one"));
  settle(catalog, roots);
  trial.put_skill("skills/one/inside");
  EXPECT_THAT(refreshed(), ElementsAre("b/two", "one", "one/inside"));
  settle(catalog, roots);
  trial.remove("skills/b/two/SKILL.md");
  EXPECT_THAT(refreshed(), ElementsAre("one", "one/inside"));
}

TEST_F(CatalogTest, SeesAnEditThatKeepsSizeAndTime) {
  trial.put_skill("skills/one", "text 0000");
  const timespec times[2] = {{1'700'000'000, 5}, {1'700'000'000, 5}};
  for (int i = 0; i < 300; ++i) {
    const std::string description = "text " + std::to_string(1000 + i);
    const std::string file = trial.put_skill("skills/one", description);
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
    ASSERT_EQ(description_of("one"), description);
    if (i % 100 == 50) settle(catalog, roots);
  }
}

TEST_F(CatalogTest, LooksAtNothingTwiceWithoutNeed) {
  for (int i = 0; i < 100; ++i) trial.put_skill("skills/a/skill-" + std::to_string(i));
  const auto view = settle(catalog, roots);
  const CatalogWork before = catalog.work();
  EXPECT_EQ(catalog.refresh(roots), view);
  const CatalogWork after = catalog.work();
  EXPECT_EQ(after.folders_looked_at, before.folders_looked_at);
  EXPECT_EQ(after.folders_checked, before.folders_checked + 102);
  trial.put_skill("skills/a/skill-50", "Other");
  EXPECT_NE(catalog.refresh(roots), view);
  EXPECT_EQ(catalog.work().folders_looked_at, after.folders_looked_at + 1);
}

TEST_F(CatalogTest, ASkillThatDidNotChangeStaysTheSameObject) {
  trial.put_skill("skills/one");
  trial.put_skill("skills/two");
  const auto view = catalog.refresh(roots);
  trial.put_skill("skills/two", "Other");
  trial.put_skill("skills/three");
  const auto later = catalog.refresh(roots);
  EXPECT_EQ(later->find("one"), view->find("one"));
  EXPECT_NE(later->find("two"), view->find("two"));
}

TEST_F(CatalogTest, ATouchWithoutAChangeIsNoNews) {
  trial.put_skill("skills/one");
  const auto view = settle(catalog, roots);
  trial.put("skills/one/notes.txt", "x");
  EXPECT_EQ(catalog.refresh(roots), view);
}

TEST_F(CatalogTest, AnEarlierViewStaysAsItWas) {
  trial.put_skill("skills/one", "First");
  const auto view = catalog.refresh(roots);
  trial.put_skill("skills/one", "Second");
  (void)catalog.refresh(roots);
  EXPECT_EQ(view->find("one")->card.description, "First");
}

TEST_F(CatalogTest, EarlierRootsWin) {
  trial.put_skill("project/one", "Of the project");
  trial.put_skill("skills/one", "Of the home");
  trial.put_skill("bundled/one", "Bundled");
  roots = {trial.root("project", SkillSource::project), trial.root("skills", SkillSource::home),
           trial.root("bundled", SkillSource::bundled)};
  const auto view = catalog.refresh(roots);
  EXPECT_EQ(view->find("one")->source, SkillSource::project);
  ASSERT_EQ(view->shadowed().size(), 2U);
  EXPECT_EQ(view->shadowed()[0].skill->source, SkillSource::home);
  trial.remove("project/one");
  EXPECT_EQ(description_of("one"), "Of the home");
}

TEST_F(CatalogTest, SessionsShareTheRootsTheyHaveInCommon) {
  for (int i = 0; i < 20; ++i) trial.put_skill("skills/skill-" + std::to_string(i));
  trial.put_skill("project/own");
  settle(catalog, roots);
  const size_t before = catalog.work().folders_looked_at;
  const std::vector<SkillRoot> more = {trial.root("project", SkillSource::project), roots[0]};
  const auto view = catalog.refresh(more);
  EXPECT_EQ(view->skills().size(), 21U);
  EXPECT_EQ(view->find("skill-3"), catalog.refresh(roots)->find("skill-3"));
  EXPECT_LE(catalog.work().folders_looked_at, before + 4);
}

TEST_F(CatalogTest, ManyDifferentSessionsDoNotFillTheMemory) {
  trial.put_skill("skills/one");
  for (int i = 0; i < 200; ++i) {
    const std::string name = "project-" + std::to_string(i);
    trial.put_skill(name + "/own");
    EXPECT_EQ(catalog.refresh({trial.root(name), roots[0]})->skills().size(), 2U);
  }
  EXPECT_EQ(catalog.recent({trial.root("project-0"), roots[0]}), nullptr);
  EXPECT_NE(catalog.recent({trial.root("project-199"), roots[0]}), nullptr);
}

TEST_F(CatalogTest, RecentIsTheLastViewWithoutALook) {
  EXPECT_EQ(catalog.recent(roots), nullptr);
  trial.put_skill("skills/one");
  const auto view = catalog.refresh(roots);
  trial.put_skill("skills/two");
  EXPECT_EQ(catalog.recent(roots), view);
}

TEST_F(CatalogTest, ACategorySaysWhatItIs) {
  trial.put_skill("skills/research/arxiv");
  trial.put("skills/research/DESCRIPTION.md", "---\ndescription: Finding papers\n---\n");
  EXPECT_EQ(catalog.refresh(roots)->blurb("research"), "Finding papers");
  trial.put("skills/research/DESCRIPTION.md", "---\ndescription: Reading papers\n---\n");
  EXPECT_EQ(catalog.refresh(roots)->blurb("research"), "Reading papers");
  trial.remove("skills/research/DESCRIPTION.md");
  EXPECT_EQ(catalog.refresh(roots)->blurb("research"), "");
}

TEST_F(CatalogTest, ACategoryGoesWithoutWhatCannotBeRead) {
  trial.put_skill("skills/a/one");
  trial.put("skills/a/DESCRIPTION.md", "No front matter");
  trial.put_skill("skills/b/two");
  trial.put("skills/b/DESCRIPTION.md", "---\ndescription: [a, list]\n---\n");
  trial.put_skill("skills/c/three");
  ASSERT_EQ(::mkfifo(trial.path("skills/c/DESCRIPTION.md").c_str(), 0644), 0);
  const auto view = catalog.refresh(roots);
  EXPECT_EQ(view->skills().size(), 3U);
  EXPECT_EQ(view->blurb("a"), "");
  EXPECT_EQ(view->blurb("b"), "");
  ASSERT_EQ(view->diagnostics().size(), 1U);
  EXPECT_EQ(view->diagnostics()[0].path, trial.path("skills/c/DESCRIPTION.md"));
  EXPECT_EQ(view->diagnostics()[0].severity, Severity::note);
}

TEST_F(CatalogTest, AFileThatIsTooLargeToBeLoadedIsNoSkill) {
  const std::string start = trial.text_of("large", "Long");
  const std::string file = trial.put("skills/large/SKILL.md", start + std::string((4 << 20) - start.size(), 'x'));
  ASSERT_TRUE(catalog.refresh(roots)->find("large"));
  trial.put("skills/large/SKILL.md", start + std::string((4 << 20) + 1 - start.size(), 'x'));
  const auto view = catalog.refresh(roots);
  EXPECT_EQ(view->find("large"), nullptr);
  ASSERT_EQ(view->diagnostics().size(), 1U);
  EXPECT_EQ(view->diagnostics()[0].path, file);
  EXPECT_EQ(view->diagnostics()[0].severity, Severity::error);
  EXPECT_EQ(view->diagnostics()[0].message, "it is larger than 4 MiB; this skill is not shown");
}

TEST_F(CatalogTest, NoListOfRootsIsAnEmptyView) {
  EXPECT_THAT(catalog.refresh({})->skills(), IsEmpty());
  EXPECT_EQ(catalog.look_up({}, "one").skill, nullptr);
}

}  // namespace
}  // namespace talaria
