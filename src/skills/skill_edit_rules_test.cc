#include "skills/skill_edit_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::HasSubstr;

std::string message(const Result<>& result) { return result ? "" : result.error().message(); }

std::string skill_with(const std::string& name, const std::string& description, const std::string& body) {
  return "---\nname: " + name + "\ndescription: " + description + "\n---\n" + body;
}

std::string refusal(const std::string& text, const std::string& name = "demo") {
  const auto result = check_skill_text(text, {name});
  return result ? "" : result.error().message();
}

TEST(SkillEditRulesTest, NamesAreLowerCaseAndShort) {
  for (const std::string& name : std::vector<std::string>{"a", "0", "my-skill", "v1-2-x", std::string(64, 'a')})
    EXPECT_TRUE(check_new_skill_name(name)) << name;
  for (const std::string& name : std::vector<std::string>{"",
                                                          ".",
                                                          "..",
                                                          "-a",
                                                          ".a",
                                                          "_a",
                                                          "a-",
                                                          "a--b",
                                                          "a_b",
                                                          "v1.2",
                                                          "a__b..c",
                                                          "A",
                                                          "aB",
                                                          "a b",
                                                          "a/b",
                                                          "../a",
                                                          "/a",
                                                          "a\\b",
                                                          "a\n",
                                                          "ä",
                                                          std::string(65, 'a'),
                                                          std::string("a\0b", 3),
                                                          "node_modules",
                                                          "venv",
                                                          "a\xe2\x80\x8b"})
    EXPECT_FALSE(check_new_skill_name(name)) << name;
  EXPECT_EQ(message(check_new_skill_name("A\n")),
            "name \"A\\n\" must be 1 to 64 lower-case letters, digits and single hyphens between them; try a");
}

TEST(SkillEditRulesTest, CategoriesAreNamesWithSlashes) {
  for (const char* category : {"research", "a/b", "v1.2_x", "a/b/c/d/e"})
    EXPECT_TRUE(check_category(category)) << category;
  for (const char* category : {"", "/", "a/", "/a", "a//b", "../a", "a/../b", "a/.", ".talaria", "A", "a/b/c/d/e/f"})
    EXPECT_FALSE(check_category(category)) << category;
}

TEST(SkillEditRulesTest, SupportFilesHaveTheirFolders) {
  EXPECT_EQ(*check_support_path("references/a.md"), "references/a.md");
  EXPECT_EQ(*check_support_path("./scripts//x/run.sh"), "scripts/x/run.sh");
  EXPECT_EQ(*check_support_path("templates/.env.example"), "templates/.env.example");
  EXPECT_EQ(*check_support_path("assets/Größe 1.txt"), "assets/Größe 1.txt");
  for (const std::string& path : std::vector<std::string>{"",
                                                          ".",
                                                          "a.md",
                                                          "SKILL.md",
                                                          "references",
                                                          "references/",
                                                          "References/a",
                                                          "reference/a",
                                                          "../references/a",
                                                          "references/../SKILL.md",
                                                          "references/../../x",
                                                          "/references/a",
                                                          "references\\a",
                                                          "C:/references/a",
                                                          std::string("references/a\0b", 14),
                                                          "references/" + std::string(256, 'a'),
                                                          "references/a\nb",
                                                          "references/a ",
                                                          "references/ a",
                                                          "references/a\xe2\x80\xae",
                                                          "scripts/SKILL.md",
                                                          "scripts/x/skill.MD",
                                                          "references/1/2/3/4/5/6/7/8",
                                                          "references/\xff"})
    EXPECT_FALSE(check_support_path(path)) << path;
}

TEST(SkillEditRulesTest, SupportFilesAreTextsOfAMebibyte) {
  EXPECT_TRUE(check_support_text(std::string(1 << 20, 'x')));
  EXPECT_EQ(message(check_support_text(std::string((1 << 20) + 1, 'x'))),
            "file_content has 1,048,577 bytes; at most 1,048,576 are allowed");
  EXPECT_THAT(message(check_support_text("\xff")), HasSubstr("UTF-8"));
  EXPECT_THAT(message(check_support_text(std::string("a\0b", 3))), HasSubstr("NUL"));
}

TEST(SkillEditRulesTest, ASkillNeedsNameDescriptionAndBody) {
  EXPECT_EQ(refusal(skill_with("demo", "Does it.", "Text.")), "");
  EXPECT_EQ(refusal(skill_with("Demo", "Does it.", "Text.")), "");  // one name to whoever looks it up
  EXPECT_THAT(refusal("Text."), HasSubstr("must begin with front matter"));
  EXPECT_THAT(refusal(""), HasSubstr("must begin with front matter"));
  EXPECT_THAT(refusal("---\ndescription: x\n---\nText"), HasSubstr("has no name"));
  EXPECT_THAT(refusal("---\nname: demo\n---\nText"), HasSubstr("has no description"));
  EXPECT_THAT(refusal(skill_with("demo", "''", "Text.")), HasSubstr("has no description"));
  EXPECT_THAT(refusal(skill_with("demo", "x", " \n")), HasSubstr("has no body"));
  EXPECT_THAT(refusal(skill_with("demo", std::string(1025, 'x'), "Text.")), HasSubstr("1,025 characters"));
  EXPECT_EQ(refusal(skill_with("demo", std::string(1024, 'x'), "Text.")), "");
  EXPECT_EQ(
      refusal(skill_with("other", "x", "Text.")),
      "SKILL.md: its front matter says name: \"other\", but the skill is \"demo\"; write the same name in both places");
  EXPECT_THAT(refusal(skill_with("demo", "x", "\xff")), HasSubstr("UTF-8"));
}

TEST(SkillEditRulesTest, ASkillHasAHundredThousandCharacters) {
  const std::string head = skill_with("demo", "x", "");
  EXPECT_EQ(refusal(head + std::string(100'000 - head.size(), 'x')), "");
  EXPECT_THAT(refusal(head + std::string(100'001 - head.size(), 'x')), HasSubstr("SKILL.md has 100,001 characters"));
}

}  // namespace
}  // namespace talaria
