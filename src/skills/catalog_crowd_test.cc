// Thousands of skills of every quality: none is lost, none stops another, and every way to them shows the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/utf8.h"
#include "skills/activation.h"
#include "skills/catalog.h"
#include "skills/catalog_crowd_trial.h"
#include "skills/prompt_index.h"
#include "skills/skill_listing.h"

namespace talaria {
namespace {

constexpr size_t crowd_size = 10'000;

// One crowd for all tests, which only look at it.
class CatalogCrowdTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    trial = new CatalogTrial();
    crowd = new SkillCrowd(write_crowd(*trial, "skills", crowd_size, 300));
  }
  static void TearDownTestSuite() {
    delete crowd;
    delete trial;
  }

  // Everything there is to say of a view.
  static std::string all_of(const CatalogView& view) {
    std::string text;
    const auto add = [&](const Skill& skill) {
      text += skill.directory + "|" + skill.card.name + "|" + skill.card.slug + "|" + skill.card.description + "|" +
              skill.category + "|" + std::to_string(skill.card.diagnostics.size()) + "\n";
    };
    for (const Skill* skill : view.skills()) add(*skill);
    for (const ShadowedSkill& shadowed : view.shadowed()) {
      add(*shadowed.skill);
      text += shadowed.winner->directory + "\n";
    }
    for (const CatalogDiagnostic& diagnostic : view.diagnostics()) text += diagnostic.path + diagnostic.message + "\n";
    return text;
  }

  static inline CatalogTrial* trial = nullptr;
  static inline SkillCrowd* crowd = nullptr;
  const std::vector<SkillRoot> roots = {trial->root("skills")};
};

TEST_F(CatalogCrowdTest, NoneIsLost) {
  Catalog catalog(trial->path("none/index"));
  const auto view = catalog.refresh(roots);
  EXPECT_EQ(found_folders(*view, roots[0].path), crowd->folders);
  std::vector<std::string> broken;
  for (const CatalogDiagnostic& diagnostic : view->diagnostics()) broken.push_back(diagnostic.path);
  EXPECT_THAT(broken, testing::UnorderedElementsAreArray(crowd->broken));
}

TEST_F(CatalogCrowdTest, TheIndexShowsWhatAWalkShows) {
  Catalog cold(trial->path("none/index"));
  const std::string expected = all_of(*cold.refresh(roots));
  Catalog catalog(trial->index());
  EXPECT_EQ(all_of(*settle(catalog, roots)), expected);
  ASSERT_TRUE(catalog.save());
  EXPECT_EQ(all_of(*catalog.refresh(roots)), expected);
  Catalog restarted(trial->index());
  EXPECT_EQ(all_of(*restarted.refresh(roots)), expected);
  EXPECT_EQ(restarted.work().folders_looked_at, 0U);
}

TEST_F(CatalogCrowdTest, EveryWayShowsTheSame) {
  Catalog catalog(trial->path("none/index"));
  const auto view = catalog.refresh(roots);
  SkillAvailability availability;
  availability.tools = {"exec"};
  availability.disabled = {"skill-1", "Skill_2"};
  const std::vector<const Skill*> visible = visible_skills(*view, availability, SkillAudience::agent);
  EXPECT_LT(visible.size(), view->skills().size() - 100);
  std::set<std::string> names;
  for (const Skill* skill : visible) names.insert(skill->card.name);
  EXPECT_FALSE(names.contains("skill-1"));

  const JsonObject listing = skill_listing(*view, visible);
  std::set<std::string> listed;
  for (const Json& row : listing.at("skills").as_array()) listed.insert(std::string(row.at("name").as_string()));
  EXPECT_EQ(listed, names);
  EXPECT_EQ(listing.at("count").to_number<size_t>(), visible.size());
  EXPECT_TRUE(is_utf8(write_json(listing)));

  const std::string prompt = prompt_index(*view, visible);
  EXPECT_TRUE(is_utf8(prompt));
  size_t in_prompt = 0;
  for (size_t at = prompt.find("\n    - "); at != std::string::npos; at = prompt.find("\n    - ", at + 1)) ++in_prompt;
  EXPECT_EQ(in_prompt, visible.size());
  for (const Skill* skill : visible) {
    EXPECT_EQ(view->find(skill->card.name), skill) << skill->directory;
    EXPECT_EQ(view->find(skill->card.slug), skill) << skill->directory;
  }
}

TEST_F(CatalogCrowdTest, NoDescriptionEndsTheBlock) {
  Catalog catalog(trial->path("none/index"));
  const auto view = catalog.refresh(roots);
  const std::string prompt = prompt_index(*view, visible_skills(*view, {}, SkillAudience::agent), 100 << 20);
  const size_t end = prompt.find("</available_skills>");
  EXPECT_EQ(prompt.find("</available_skills>", end + 1), std::string::npos);
  EXPECT_EQ(prompt.find('<'), prompt.find("<available_skills>"));
  EXPECT_NE(prompt.find("&lt;/available_skills>"), std::string::npos);
}

}  // namespace
}  // namespace talaria
