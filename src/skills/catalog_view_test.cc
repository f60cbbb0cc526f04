#include "skills/catalog_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<const Skill> skill_at(const std::string& folder, const std::string& name, uint64_t inode = 0) {
  static uint64_t next = 1000;
  auto skill = std::make_shared<Skill>();
  skill->card.name = name;
  skill->card.slug = slug_of(name);
  skill->directory = "/root/" + folder;
  skill->file = skill->directory + "/SKILL.md";
  skill->category = category_of(folder);
  skill->stamp.inode = inode ? inode : ++next;
  return skill;
}

std::shared_ptr<const RootContent> root_of(std::vector<std::shared_ptr<const Skill>> skills) {
  auto content = std::make_shared<RootContent>();
  content->skills = std::move(skills);
  return content;
}

std::vector<std::string> folders_of(const std::vector<const Skill*>& skills) {
  std::vector<std::string> folders;
  for (const Skill* skill : skills) folders.push_back(skill->directory.substr(6));
  return folders;
}

std::string found(const CatalogView& view, std::string_view name) {
  const Skill* skill = view.find(name);
  return skill ? skill->directory.substr(6) : "";
}

TEST(CatalogViewTest, ListsByCategoryThenName) {
  const CatalogView view({root_of({skill_at("b/two", "two"), skill_at("b/one", "one"), skill_at("zebra", "zebra")}),
                          root_of({skill_at("a/b/x", "x"), skill_at("a/y", "y"), skill_at("ant", "ant")})});
  EXPECT_THAT(folders_of(view.skills()), ElementsAre("ant", "zebra", "a/y", "a/b/x", "b/one", "b/two"));
}

TEST(CatalogViewTest, TheFirstToHaveASlugWins) {
  const CatalogView view({root_of({skill_at("a/one", "One Thing"), skill_at("b/one", "one_thing")}),
                          root_of({skill_at("c/one", "one-thing")})});
  EXPECT_THAT(folders_of(view.skills()), ElementsAre("a/one"));
  ASSERT_EQ(view.shadowed().size(), 2U);
  EXPECT_EQ(view.shadowed()[0].skill->directory, "/root/b/one");
  EXPECT_EQ(view.shadowed()[1].skill->directory, "/root/c/one");
  EXPECT_EQ(view.shadowed()[1].winner, view.skills()[0]);
  EXPECT_THAT(folders_of(view.shadowed_by(*view.skills()[0])), ElementsAre("b/one", "c/one"));
}

TEST(CatalogViewTest, OneFileFoundTwiceShadowsNothing) {
  const CatalogView view({root_of({skill_at("a/one", "one", 7)}), root_of({skill_at("b/one", "one", 7)})});
  EXPECT_EQ(view.skills().size(), 1U);
  EXPECT_THAT(view.shadowed(), IsEmpty());
}

TEST(CatalogViewTest, FindsByNameSlugAndFolder) {
  const CatalogView view({root_of({skill_at("misc/folder", "My Great_Skill")})});
  for (const char* name : {"My Great_Skill", "my great-skill", "my-great-skill", "MY_GREAT_SKILL", "  my-great-skill ",
                           "folder", "Folder", "misc/folder", "misc/my-great-skill", "MISC/My Great Skill"}) {
    EXPECT_EQ(found(view, name), "misc/folder") << name;
  }
  for (const char* name : {"", "my", "other/folder", "misc", "misc/", "/folder", "misc/folder/SKILL.md"}) {
    EXPECT_EQ(found(view, name), "") << name;
  }
}

TEST(CatalogViewTest, ANameGoesBeforeAFolder) {
  const CatalogView view({root_of({skill_at("pdf", "documents"), skill_at("z", "pdf")})});
  EXPECT_EQ(found(view, "pdf"), "z");
  EXPECT_EQ(found(view, "documents"), "pdf");
}

TEST(CatalogViewTest, ACategoryTellsSkillsOfOneNameApart) {
  const CatalogView view({root_of({skill_at("a_b/c/deploy", "deploy"), skill_at("web/deploy", "deploy")})});
  EXPECT_EQ(found(view, "deploy"), "a_b/c/deploy");
  EXPECT_EQ(found(view, "A-b/C/deploy"), "a_b/c/deploy");
  EXPECT_EQ(found(view, "web/Deploy"), "web/deploy");
  EXPECT_EQ(found(view, "c/deploy"), "");
}

TEST(CatalogViewTest, SuggestsWhatMayHaveBeenMeant) {
  const CatalogView view(
      {root_of({skill_at("a/arxiv", "arxiv"), skill_at("b/docker", "Docker"), skill_at("c", "git")})});
  EXPECT_THAT(view.names_like("arxi"), ElementsAre("arxiv"));
  EXPECT_THAT(view.names_like("x/dokcer"), ElementsAre("docker"));
  EXPECT_THAT(view.names_like("something else"), IsEmpty());
}

TEST(CatalogViewTest, TheFirstRootDescribesACategory) {
  const auto with_blurb = [](const std::string& category, const std::string& blurb) {
    auto content = std::make_shared<RootContent>();
    content->blurbs[category] = blurb;
    return content;
  };
  const CatalogView view({with_blurb("a", "first"), with_blurb("a", "second"), with_blurb("b", "other")});
  EXPECT_EQ(view.blurb("a"), "first");
  EXPECT_EQ(view.blurb("b"), "other");
  EXPECT_EQ(view.blurb("c"), "");
}

TEST(CatalogViewTest, HoldsWhatRootsAndIndexHaveToSay) {
  auto content = std::make_shared<RootContent>();
  content->diagnostics.push_back({Severity::warning, "/root", "unreadable"});
  const CatalogDiagnostic index{Severity::warning, "/index", "damaged"};
  const CatalogView view({content}, {index});
  EXPECT_THAT(view.diagnostics(), ElementsAre(index, content->diagnostics[0]));
}

}  // namespace
}  // namespace talaria
