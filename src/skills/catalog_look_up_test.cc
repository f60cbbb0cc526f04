#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skills/catalog.h"
#include "skills/catalog_trial.h"

namespace talaria {
namespace {

// The clock is the test's: each reading takes as long as the test says.
class CatalogLookUpTest : public testing::Test {
 protected:
  CatalogLookUpTest() {
    trial.put_skill("skills/one", "First");
    trial.put_skill("skills/two");
  }

  size_t sweeps() { return catalog.work().sweeps; }
  Clock::time_point tick() { return now += each_reading; }

  CatalogTrial trial;
  const std::vector<SkillRoot> roots = {trial.root("skills", SkillSource::home)};
  Clock::time_point now = Clock::now();
  Clock::duration each_reading = 5ms;
  Catalog catalog{trial.index(), [this] { return tick(); }};
};

TEST_F(CatalogLookUpTest, SweepsTheFirstTime) {
  const SkillLookUp found = catalog.look_up(roots, "one");
  ASSERT_TRUE(found.skill);
  EXPECT_EQ(found.skill->card.description, "First");
  EXPECT_FALSE(found.refresh_due);
  EXPECT_EQ(sweeps(), 1U);
}

TEST_F(CatalogLookUpTest, LooksAtOneFileAfterThat) {
  const auto view = settle(catalog, roots);
  const size_t before = sweeps();
  for (int i = 0; i < 50; ++i) {
    const SkillLookUp found = catalog.look_up(roots, "ONE");
    EXPECT_EQ(found.skill, view->find("one"));
    EXPECT_EQ(found.view, view);
    EXPECT_FALSE(found.refresh_due);
  }
  EXPECT_EQ(sweeps(), before);
}

TEST_F(CatalogLookUpTest, SweepsWhenTheFileChanged) {
  settle(catalog, roots);
  trial.put_skill("skills/one", "Second");
  EXPECT_EQ(catalog.look_up(roots, "one").skill->card.description, "Second");
}

TEST_F(CatalogLookUpTest, SweepsWhenTheFileIsGone) {
  settle(catalog, roots);
  trial.remove("skills/one");
  EXPECT_EQ(catalog.look_up(roots, "one").skill, nullptr);
}

TEST_F(CatalogLookUpTest, SweepsForANameItDoesNotKnow) {
  settle(catalog, roots);
  trial.put_skill("skills/three");
  EXPECT_TRUE(catalog.look_up(roots, "three").skill);
  const size_t before = sweeps();
  EXPECT_FALSE(catalog.look_up(roots, "four").skill);
  EXPECT_EQ(sweeps(), before + 1);
}

TEST_F(CatalogLookUpTest, SweepsWhileTheFileMayStillChangeUnseen) {
  (void)catalog.refresh(roots);
  for (int i = 0; i < 200; ++i) {
    const std::string description = "text " + std::to_string(1000 + i);
    trial.put_skill("skills/one", description);
    ASSERT_EQ(catalog.look_up(roots, "one").skill->card.description, description);
  }
}

TEST_F(CatalogLookUpTest, SweepsWhenTheOriginsChanged) {
  settle(catalog, roots);
  EXPECT_EQ(catalog.look_up(roots, "one").skill->trust, Trust::local);
  trial.put("skills/.talaria/origins.json", R"({"one": {"trust": "community"}})");
  EXPECT_EQ(catalog.look_up(roots, "one").skill->trust, Trust::community);
}

TEST_F(CatalogLookUpTest, SaysThatARefreshIsDueAfterASecond) {
  settle(catalog, roots);
  const size_t before = sweeps();
  now += 2s;
  EXPECT_TRUE(catalog.look_up(roots, "one").refresh_due);
  EXPECT_TRUE(catalog.look_up(roots, "one").refresh_due);
  EXPECT_EQ(sweeps(), before);
  (void)catalog.refresh(roots);
  EXPECT_FALSE(catalog.look_up(roots, "one").refresh_due);
}

TEST_F(CatalogLookUpTest, RefreshesAtOnceWhenThatIsQuick) {
  each_reading = 100us;
  settle(catalog, roots);
  const size_t before = sweeps();
  now += 2s;
  EXPECT_FALSE(catalog.look_up(roots, "one").refresh_due);
  EXPECT_EQ(sweeps(), before + 1);
}

TEST_F(CatalogLookUpTest, ASkillThatTakesTheNameIsSeenWithTheNextRefresh) {
  const std::vector<SkillRoot> both = {trial.root("project", SkillSource::project), roots[0]};
  settle(catalog, both);
  trial.put_skill("project/one", "Of the project");
  EXPECT_EQ(catalog.look_up(both, "one").skill->source, SkillSource::home);
  (void)catalog.refresh(both);
  EXPECT_EQ(catalog.look_up(both, "one").skill->source, SkillSource::project);
}

}  // namespace
}  // namespace talaria
