#include "skills/slug.h"

#include <gtest/gtest.h>

#include "skills/skill_card.h"

namespace talaria {
namespace {

TEST(SlugTest, IsLowerCaseWithSingleHyphens) {
  EXPECT_EQ(slug_of("My Skill"), "my-skill");
  EXPECT_EQ(slug_of("my_skill  v2.0"), "my-skill-v20");
  EXPECT_EQ(slug_of("--A--b__c  "), "a-b-c");
  EXPECT_EQ(slug_of("C++ / Rust: notes!"), "c-rust-notes");
  EXPECT_EQ(slug_of("Café"), "caf");
  EXPECT_EQ(slug_of("検索"), "");
  EXPECT_EQ(slug_of("-_ "), "");
  EXPECT_EQ(slug_of(""), "");
}

TEST(SlugTest, HasAtMost64CharactersAndNoHyphenAtItsEnd) {
  EXPECT_EQ(slug_of(std::string(100, 'a')), std::string(64, 'a'));
  EXPECT_EQ(slug_of(std::string(63, 'a') + " b"), std::string(63, 'a'));
}

TEST(SlugTest, NoSkillIsEverWithoutOne) {
  EXPECT_EQ(slug_for("My Skill", "folder"), "my-skill");
  EXPECT_EQ(slug_for("検索", "My Folder"), "my-folder");
  EXPECT_EQ(slug_for("", "folder"), "folder");
  const std::string hashed = slug_for("検索", "技能");
  EXPECT_EQ(hashed, slug_for("検索", "技能"));
  EXPECT_NE(hashed, slug_for("翻訳", "技能"));
  EXPECT_TRUE(is_skill_name(hashed)) << hashed;
  EXPECT_TRUE(is_skill_name(slug_for("", "")));
}

TEST(SlugTest, ANameThatIsItsOwnSlugKeepsTheRule) {
  for (std::string_view name : {"a", "arxiv", "git-workflow", "x2", "2x"}) EXPECT_TRUE(is_skill_name(name)) << name;
  for (std::string_view name : {"", "A", "a_b", "a b", "-a", "a-", "a--b", "a.b", "é"})
    EXPECT_FALSE(is_skill_name(name)) << name;
  EXPECT_FALSE(is_skill_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace talaria
