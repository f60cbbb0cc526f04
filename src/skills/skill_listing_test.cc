#include "skills/skill_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace talaria {
namespace {

class SkillListingTest : public testing::Test {
 protected:
  Skill& add(const std::string& category, const std::string& name, const std::string& description = "d") {
    auto skill = std::make_shared<Skill>();
    skill->card.name = name;
    skill->card.slug = slug_of(name);
    skill->card.description = description;
    skill->category = category;
    skill->file = "/skills/" + name + "/SKILL.md";
    skill->stamp.inode = content->skills.size() + 1;
    content->skills.push_back(skill);
    return *skill;
  }
  JsonObject list(const SkillListingRequest& request = {}) {
    const CatalogView view({content});
    return skill_listing(view, view.skills(), request);
  }

  std::shared_ptr<RootContent> content = std::make_shared<RootContent>();
};

TEST_F(SkillListingTest, HasOneRowASkillInTheirOrder) {
  Skill& deploy = add("web", "deploy", "Deploys");
  deploy.source = SkillSource::project;
  deploy.trust = Trust::community;
  add("", "top", "On top");
  add("research/papers", "arxiv", "Papers");
  const auto needs_setup = [](const Skill& skill) { return skill.card.name == "arxiv"; };
  EXPECT_EQ(Json(list({.setup_needed = needs_setup})), *parse_json(R"({
    "success": true,
    "skills": [
      {"name": "top", "description": "On top", "category": null, "source": "home", "trust": "local",
       "setup_needed": false},
      {"name": "arxiv", "description": "Papers", "category": "research/papers", "source": "home", "trust": "local",
       "setup_needed": true},
      {"name": "deploy", "description": "Deploys", "category": "web", "source": "project", "trust": "community",
       "setup_needed": false}],
    "categories": ["research/papers", "web"],
    "count": 3,
    "hint": "Use skill_view(name) to see full content, tags, and linked files"})"));
}

TEST_F(SkillListingTest, SaysWhenThereIsNothing) {
  EXPECT_EQ(Json(list()), *parse_json(R"({"success": true, "skills": [], "categories": [], "count": 0,
                                          "message": "There are no skills."})"));
}

TEST_F(SkillListingTest, ListsOneCategoryAndThoseBelow) {
  add("a", "one");
  add("a/b", "two");
  add("ab", "three");
  SkillListingRequest request;
  request.category = "a";
  const JsonObject listing = list(request);
  EXPECT_EQ(listing.at("count"), 2);
  EXPECT_EQ(listing.at("categories").as_array().size(), 3U);
}

TEST_F(SkillListingTest, NamesTheCategoriesForOneThatIsNone) {
  add("a", "one");
  add("b", "two");
  SkillListingRequest request;
  request.category = "c";
  const JsonObject listing = list(request);
  EXPECT_EQ(listing.at("count"), 0);
  EXPECT_EQ(listing.at("message"), "There is no skill in the category c. The categories are: a, b.");
}

TEST_F(SkillListingTest, TellsWhatIsWorthActingOn) {
  Skill& skill = add("a", "one");
  skill.card.diagnostics = {{Severity::note, 0, "trifle"}, {Severity::warning, 3, "repaired"}};
  content->diagnostics = {{Severity::error, "/skills/two", "unreadable"}, {Severity::note, "/x", "trifle"}};
  SkillListingRequest request;
  request.diagnostics = {{Severity::warning, "/none", "there is no such folder"}};
  EXPECT_EQ(list(request).at("diagnostics"), *parse_json(R"([
    {"path": "/none", "severity": "warning", "message": "there is no such folder"},
    {"path": "/skills/two", "severity": "error", "message": "unreadable"},
    {"skill": "one", "path": "/skills/one/SKILL.md", "line": 3, "severity": "warning", "message": "repaired"}])"));
}

TEST_F(SkillListingTest, TellsWhyANameShowsNothing) {
  add("a", "one").file = "/skills/a/one/SKILL.md";
  add("b", "one").file = "/skills/b/one/SKILL.md";
  Skill& mac = add("c", "one");
  mac.file = "/skills/c/one/SKILL.md";
  mac.card.platforms = {"macos"};
  SkillListingRequest request;
  EXPECT_EQ(list(request).at("diagnostics"), *parse_json(R"([
    {"path": "/skills/b/one/SKILL.md", "severity": "note",
     "message": "shadowed: /skills/a/one/SKILL.md has its name"},
    {"path": "/skills/c/one/SKILL.md", "severity": "note",
     "message": "platforms names macos, and this is linux: /skills/a/one/SKILL.md has its name"}])"));
  request.hidden_because = [](const Skill&) { return "skills.disabled names one"; };
  EXPECT_EQ(list(request).at("diagnostics").at(0).at("message"),
            "shadowed: /skills/a/one/SKILL.md has its name, and is hidden: skills.disabled names one");
}

TEST_F(SkillListingTest, TellsOnlySomeOfMany) {
  for (int i = 0; i < 50; ++i) content->diagnostics.push_back({Severity::warning, "/x", "unreadable"});
  add("a", "one");
  const JsonObject listing = list();
  const JsonArray& told = listing.at("diagnostics").as_array();
  EXPECT_EQ(told.size(), 21U);
  EXPECT_EQ(told.back().at("message"), "30 more; talaria skills check shows them");
}

TEST_F(SkillListingTest, IsValidTextWhateverFoldersAreCalled) {
  add("\xff\xfe\ncategory", "name\xe2\x80\xae", "line\nline");
  const JsonObject listing = list();
  EXPECT_TRUE(is_utf8(write_json(listing)));
  const JsonObject& row = listing.at("skills").as_array()[0].as_object();
  EXPECT_EQ(row.at("name"), "name");
  EXPECT_EQ(row.at("description"), "line line");
  EXPECT_EQ(row.at("category"), "\xef\xbf\xbd\xef\xbf\xbd category");
}

}  // namespace
}  // namespace talaria
