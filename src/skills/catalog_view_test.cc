#include "skills/catalog_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "skills/slug.h"

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

TEST(CatalogViewTest, OfRootsTheFirstToHaveANameWins) {
  const CatalogView view({root_of({skill_at("a/one", "One Thing")}),
                          root_of({skill_at("b/one", "one!thing"), skill_at("b/two", "one-thing"),
                                   skill_at("c/deploy", "deploy"), skill_at("d/deploy", "deploy")})});
  EXPECT_THAT(folders_of(view.skills()), ElementsAre("a/one", "b/one", "c/deploy"));
  const Skill* one = view.find("One Thing");
  EXPECT_THAT(folders_of(view.shadowed_by(*one)), ElementsAre("b/two"));
  EXPECT_THAT(folders_of(view.shadowed_by(*view.find("deploy"))), ElementsAre("d/deploy"));
  ASSERT_EQ(view.shadowed().size(), 2U);
  EXPECT_EQ(view.shadowed()[0].winner, one);
}

TEST(CatalogViewTest, OfRootsASlugInAFolderOfTheSameNameIsTheSameSkill) {
  const CatalogView view({root_of({skill_at("x/cpp", "C++")}), root_of({skill_at("y/cpp", "C")})});
  EXPECT_THAT(folders_of(view.skills()), ElementsAre("x/cpp"));
  EXPECT_THAT(folders_of(view.shadowed_by(*view.skills()[0])), ElementsAre("y/cpp"));
}

TEST(CatalogViewTest, SkillsOfDifferentNamesAndOneSlugAreAllFound) {
  const CatalogView view(
      {root_of({skill_at("c", "c"), skill_at("cpp", "C++"), skill_at("csharp", "C#"), skill_at("x/cpp", "C+")})});
  EXPECT_THAT(view.shadowed(), IsEmpty());
  EXPECT_EQ(view.skills().size(), 4U);
  for (const auto& [name, folder] : std::vector<std::pair<std::string, std::string>>{{"c", "c"},
                                                                                     {"C++", "cpp"},
                                                                                     {"c++", "cpp"},
                                                                                     {"cpp", "cpp"},
                                                                                     {"C#", "csharp"},
                                                                                     {"csharp", "csharp"},
                                                                                     {"C+", "x/cpp"},
                                                                                     {"x-cpp", "x/cpp"},
                                                                                     {"x/cpp", "x/cpp"},
                                                                                     {"C!", "c"}}) {
    EXPECT_EQ(found(view, name), folder) << name;
  }
  ASSERT_EQ(view.renamed().size(), 3U);
  EXPECT_EQ(view.renamed()[1].skill->card.slug, "csharp");
  EXPECT_EQ(view.renamed()[1].skill->card.name, "C#");
  EXPECT_EQ(view.renamed()[1].winner, view.find("c"));
}

TEST(CatalogViewTest, ANameThatIsASlugGoesBeforeOneThatOnlySlugsToIt) {
  const CatalogView view({root_of({skill_at("pl-_macos_", "pl-_macos_"), skill_at("pl-macos", "pl-macos")})});
  EXPECT_EQ(found(view, "pl-macos"), "pl-macos");
  EXPECT_EQ(found(view, "pl-_macos_"), "pl-_macos_");
  EXPECT_EQ(view.renamed()[0].skill->card.slug, "pl-macos-2");
  EXPECT_EQ(found(view, "pl-macos-2"), "pl-_macos_");
}

TEST(CatalogViewTest, ASkillOfAnotherNameInAFirstRootTakesNoName) {
  const CatalogView view({root_of({skill_at("csharp", "C#")}), root_of({skill_at("c", "c")})});
  EXPECT_EQ(found(view, "c"), "c");
  EXPECT_EQ(found(view, "C#"), "csharp");
  EXPECT_EQ(found(view, "csharp"), "csharp");
}

TEST(CatalogViewTest, AFolderGoesBeforeANameThatOnlySlugsToIt) {
  const CatalogView view({root_of({skill_at("foo-bar", "other"), skill_at("tools", "Foo Bar!")})});
  EXPECT_EQ(found(view, "foo-bar"), "foo-bar");
  EXPECT_EQ(found(view, "other"), "foo-bar");
  EXPECT_EQ(found(view, "Foo Bar!"), "tools");
  EXPECT_EQ(found(view, "tools"), "tools");
}

TEST(CatalogViewTest, EverySlugIsOfOneSkillAndFindsIt) {
  std::vector<std::shared_ptr<const RootContent>> roots;
  const std::vector<std::string> names = {"a", "A", "a!", "a-2", "A 2", "b", "検索", "a_2", "B?", "a-a", "-", "A.A"};
  const std::vector<std::string> folders = {"a", "b", "x/a", "x/b", "a-2", "x-a", "c"};
  size_t at = 0;
  for (int root = 0; root < 4; ++root) {
    std::vector<std::shared_ptr<const Skill>> skills;
    for (int i = 0; i < 20; ++i) {
      const std::string& folder = folders[at * 3 % folders.size()];
      auto skill = std::make_shared<Skill>(*skill_at(folder, names[at * at % names.size()]));
      skill->card.slug = slug_for(skill->card.name, skill->directory.substr(skill->directory.rfind('/') + 1));
      skills.push_back(std::move(skill));
      ++at;
    }
    roots.push_back(root_of(std::move(skills)));
  }
  const CatalogView view(roots);
  std::set<std::string> slugs;
  for (const Skill* skill : view.skills()) {
    EXPECT_TRUE(slugs.insert(skill->card.slug).second) << skill->card.slug;
    EXPECT_TRUE(is_skill_name(skill->card.slug)) << skill->card.slug;
    EXPECT_EQ(view.find(skill->card.slug), skill) << skill->card.slug;
    EXPECT_EQ(view.find(view.find(skill->card.name)->card.slug)->card.name, skill->card.name);
  }
  EXPECT_EQ(view.skills().size() + view.shadowed().size(), 80U);
}

TEST(CatalogViewTest, OneFileFoundTwiceShadowsNothing) {
  const CatalogView view({root_of({skill_at("a/one", "one", 7)}), root_of({skill_at("b/one", "one", 7)})});
  EXPECT_EQ(view.skills().size(), 1U);
  EXPECT_THAT(view.shadowed(), IsEmpty());
}

std::shared_ptr<const Skill> mac_skill_at(const std::string& folder, const std::string& name) {
  auto skill = std::make_shared<Skill>(*skill_at(folder, name));
  skill->card.platforms = {"macos"};
  return skill;
}

TEST(CatalogViewTest, ASkillForOtherPlatformsStandsInFrontOfNobody) {
  const CatalogView view(
      {root_of({mac_skill_at("n1", "notes"), skill_at("n2", "notes"), mac_skill_at("x/arxiv", "arxiv")}),
       root_of({skill_at("research/arxiv", "arxiv")})});
  EXPECT_THAT(folders_of(view.skills()), ElementsAre("n2", "research/arxiv"));
  EXPECT_EQ(found(view, "notes"), "n2");
  EXPECT_EQ(found(view, "arxiv"), "research/arxiv");
  EXPECT_EQ(found(view, "x/arxiv"), "x/arxiv");
  EXPECT_THAT(folders_of(view.shadowed_by(*view.find("notes"))), ElementsAre("n1"));
  EXPECT_THAT(folders_of(view.shadowed_by(*view.find("arxiv"))), ElementsAre("x/arxiv"));
}

TEST(CatalogViewTest, ASkillForOtherPlatformsIsFoundWhereNoOtherHasItsName) {
  const CatalogView view({root_of({mac_skill_at("a/notes", "notes"), mac_skill_at("b/notes", "notes")})});
  EXPECT_EQ(found(view, "notes"), "a/notes");
  EXPECT_THAT(folders_of(view.shadowed_by(*view.find("notes"))), ElementsAre("b/notes"));
}

TEST(CatalogViewTest, ASkillForOtherPlatformsTakesNoSlugAndNoFolderFromAnother) {
  const CatalogView view({root_of({mac_skill_at("mac", "my-notes"), skill_at("here", "My Notes"),
                                   mac_skill_at("foo-bar", "other"), skill_at("tools", "Foo Bar!")})});
  EXPECT_EQ(found(view, "my-notes"), "here");
  EXPECT_EQ(found(view, "mac"), "mac");
  EXPECT_EQ(found(view, "foo-bar"), "tools");
  EXPECT_EQ(found(view, "other"), "foo-bar");
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
