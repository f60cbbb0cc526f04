#include "skills/catalog_renewal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "skills/catalog_trial.h"

namespace talaria {
namespace {

using testing::Contains;
using testing::Not;

class CatalogRenewalTest : public testing::Test {
 protected:
  std::vector<std::string> refreshed() { return found_folders(*catalog.refresh(roots), trial.path("skills")); }
  // How many folders the next refresh looks at.
  size_t looks() {
    const size_t before = catalog.work().folders_looked_at;
    (void)catalog.refresh(roots);
    return catalog.work().folders_looked_at - before;
  }

  CatalogTrial trial;
  const std::vector<SkillRoot> roots = {trial.root("skills")};
  Catalog catalog{trial.index()};
};

TEST_F(CatalogRenewalTest, LooksOnlyAtWhatChangedAndWhatIsNew) {
  for (int i = 0; i < 300; ++i) trial.put_skill("skills/c" + std::to_string(i % 3) + "/s" + std::to_string(i));
  settle(catalog, roots);
  trial.put_skill("skills/c1/new");
  EXPECT_EQ(looks(), 2U);
  EXPECT_THAT(refreshed(), Contains("c1/new"));
  settle(catalog, roots);
  trial.remove("skills/c2/s5");
  EXPECT_EQ(looks(), 1U);
  EXPECT_THAT(refreshed(), Not(Contains("c2/s5")));
  settle(catalog, roots);
  trial.rename("skills/c1/s1", "skills/c0/moved");
  EXPECT_EQ(looks(), 3U);
  settle(catalog, roots);
  trial.rename("skills/c2", "skills/d");
  EXPECT_EQ(looks(), 101U);
  EXPECT_EQ(refreshed().size(), 300U);
}

TEST_F(CatalogRenewalTest, AFolderTooDeepDoesNotComeIn) {
  trial.put_skill("skills/1/2/3/4/5/six");
  settle(catalog, roots);
  trial.put_skill("skills/1/2/3/4/5/six/seven");
  EXPECT_THAT(refreshed(), testing::ElementsAre("1/2/3/4/5/six"));
}

TEST_F(CatalogRenewalTest, ASkillThatComesToHoldSupportFoldersHidesThem) {
  trial.put_skill("skills/one/scripts/inner");
  settle(catalog, roots);
  EXPECT_THAT(refreshed(), testing::ElementsAre("one/scripts/inner"));
  trial.put_skill("skills/one");
  EXPECT_THAT(refreshed(), testing::ElementsAre("one"));
  settle(catalog, roots);
  trial.remove("skills/one/SKILL.md");
  EXPECT_THAT(refreshed(), testing::ElementsAre("one/scripts/inner"));
}

// Changes a tree at random, by a few names so that they meet.
class RandomChanges {
 public:
  RandomChanges(const CatalogTrial& trial, unsigned seed, bool links) : trial_(trial), random_(seed), links_(links) {}

  void change() {
    const std::string path = place();
    switch (pick(links_ ? 7 : 5)) {
      case 0:
      case 1: write(path); break;
      case 2: (void)remove_tree(trial_.path(path)); break;
      case 3: {
        const std::string other = place();
        (void)make_directories(trial_.path(other.substr(0, other.rfind('/'))), 0755);
        (void)::rename(trial_.path(path).c_str(), trial_.path(other).c_str());
        break;
      }
      case 4: (void)remove_tree(trial_.path(path + "/SKILL.md")); break;
      case 5:
        (void)make_directories(trial_.path(path.substr(0, path.rfind('/'))), 0755);
        (void)::symlink(trial_.path(place()).c_str(), trial_.path(path).c_str());
        break;
      default: (void)::unlink(trial_.path(path).c_str()); break;
    }
  }

 private:
  // What is in the way may be anything, so any of this may fail.
  void write(const std::string& path) {
    const std::string text = trial_.text_of(path.substr(path.rfind('/') + 1), "Version " + std::to_string(pick(1000)));
    (void)make_directories(trial_.path(path), 0755);
    (void)write_file_atomically(trial_.path(path + "/SKILL.md"), text, 0644, Durable::no);
  }
  size_t pick(size_t count) { return random_() % count; }
  std::string place() {
    static constexpr const char* names[] = {"a", "b", "a-b", "scripts", "c"};
    std::string path = "skills";
    for (size_t depth = 1 + pick(3); depth > 0; --depth) path += "/" + std::string(names[pick(5)]);
    return path;
  }

  const CatalogTrial& trial_;
  std::mt19937 random_;
  const bool links_;
};

std::string all_of(const CatalogView& view) {
  std::string text;
  for (const Skill* skill : view.skills()) text += skill->directory + " " + skill->card.description + "\n";
  for (const ShadowedSkill& shadowed : view.shadowed()) text += shadowed.skill->directory + " shadowed\n";
  for (const CatalogDiagnostic& diagnostic : view.diagnostics()) text += diagnostic.path + diagnostic.message + "\n";
  return text;
}

TEST_F(CatalogRenewalTest, ShowsWhatAWalkShowsWhateverHappened) {
  for (const bool links : {false, true}) {
    trial.remove("skills");
    RandomChanges changes(trial, 7, links);
    std::mt19937 random(links ? 1 : 2);
    for (int round = 0; round < 300; ++round) {
      for (size_t i = random() % 4; i > 0; --i) changes.change();
      if (round % 30 == 0) settle(catalog, roots);
      Catalog cold(trial.path("none/index"));
      ASSERT_EQ(all_of(*catalog.refresh(roots)), all_of(*cold.refresh(roots))) << round;
    }
  }
}

}  // namespace
}  // namespace talaria
