#include "skills/skill_card.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace talaria {
namespace {

using Texts = std::vector<std::string>;

SkillCard card_of(const std::string& source, std::string_view body = "Body\n", std::string_view folder = "a") {
  return read_card(read_front_matter("---\n" + source + "---\n" + std::string(body)), folder);
}

Texts said(const SkillCard& card) {
  Texts lines;
  for (const SkillDiagnostic& diagnostic : card.diagnostics) {
    lines.push_back(std::string(name_of(diagnostic.severity)) + " " + std::to_string(diagnostic.line) + ": " +
                    diagnostic.message);
  }
  return lines;
}

// With a name and a description that are beyond doubt.
SkillCard with(const std::string& source) { return card_of("name: a\ndescription: d\n" + source); }
SkillCard with_hermes(const std::string& source) { return with("metadata:\n  hermes:\n    " + source + "\n"); }

TEST(SkillCardTest, AGoodSkillIsReadWholeAndSilently) {
  const SkillCard card = card_of(R"(name: a
description: What it does.
version: 1.0.0
author: Someone
license: MIT
compatibility: Needs git
platforms: [macos, linux]
allowed-tools: Read Bash(git:*)
metadata:
  hermes:
    tags: [Research, Two words]
    related_skills: [other]
    requires_toolsets: [web]
    requires_tools: [web_search]
    fallback_for_toolsets: [browser]
    fallback_for_tools: [browser_navigate]
)");
  SkillCard expected;
  expected.name = expected.slug = "a";
  expected.description = "What it does.";
  expected.version = "1.0.0";
  expected.author = "Someone";
  expected.license = "MIT";
  expected.compatibility = "Needs git";
  expected.platforms = {"macos", "linux"};
  expected.allowed_tools = {"Read", "Bash(git:*)"};
  expected.tags = {"Research", "Two words"};
  expected.related_skills = {"other"};
  expected.conditions = {{"web_search"}, {"web"}, {"browser_navigate"}, {"browser"}};
  EXPECT_EQ(card, expected) << testing::PrintToString(said(card));
}

TEST(SkillCardTest, ANameIsShownAsWrittenAndLookedUpByItsSlug) {
  const SkillCard card = card_of("name: \"My\\nGreat \\u202ESkill\"\ndescription: d\n", "B\n", "my-great-skill");
  EXPECT_EQ(card.name, "My Great Skill");
  EXPECT_EQ(card.slug, "my-great-skill");
  EXPECT_EQ(said(card), (Texts{"note 2: name: should be 1 to 64 lower-case letters, digits and single hyphens; look it "
                               "up as \"my-great-skill\""}));
}

TEST(SkillCardTest, ANameMayDifferFromItsFolder) {
  const SkillCard card = card_of("name: one\ndescription: d\n", "B\n", "two");
  EXPECT_EQ(card.name, "one");
  EXPECT_EQ(card.slug, "one");
  EXPECT_EQ(said(card), (Texts{"note 2: name: is not the name of its folder, \"two\""}));
}

TEST(SkillCardTest, WithoutANameTheFolderStandsIn) {
  for (std::string source : {"description: d\n", "name:\ndescription: d\n", "name: ''\ndescription: d\n"}) {
    const SkillCard card = card_of(source, "B\n", "My Folder");
    EXPECT_EQ(card.name, "My Folder");
    EXPECT_EQ(card.slug, "my-folder");
    ASSERT_EQ(card.diagnostics.size(), 1u);
    EXPECT_EQ(card.diagnostics[0].message, "name: there is none; the folder's stands in for it");
  }
}

TEST(SkillCardTest, ANameInAnotherScriptIsKeptAndLookedUpByTheFolder) {
  EXPECT_EQ(card_of("name: 検索\ndescription: d\n", "B\n", "search").slug, "search");
  EXPECT_EQ(card_of("name: 検索\ndescription: d\n", "B\n", "search").name, "検索");
  EXPECT_EQ(card_of("name: 検索\ndescription: d\n", "B\n", "検索").slug.substr(0, 6), "skill-");
}

TEST(SkillCardTest, ALongNameIsCut) {
  const SkillCard card = card_of("name: " + std::string(70, 'a') + "\ndescription: d\n");
  EXPECT_EQ(card.name, std::string(64, 'a'));
  EXPECT_EQ(card.slug, std::string(64, 'a'));
}

TEST(SkillCardTest, WithoutFrontMatterFolderAndFirstParagraphAreUsed) {
  const SkillCard card = read_card(read_front_matter("# Title\n\nDoes\nthings.\n\nMore.\n"), "folder");
  EXPECT_EQ(card.name, "folder");
  EXPECT_EQ(card.slug, "folder");
  EXPECT_EQ(card.description, "Does things.");
  EXPECT_EQ(said(card), (Texts{"warning 1: there is no front matter"}));
}

TEST(SkillCardTest, ADescriptionIsOnOneLineAndHasAnEnd) {
  EXPECT_EQ(card_of("name: a\ndescription: |\n  x\n\n  y\n").description, "x y");
  EXPECT_EQ(card_of("name: a\ndescription: [x, y]\n").description, "x, y");
  EXPECT_EQ(card_of("name: a\ndescription: 42\n").description, "42");
  const SkillCard card = card_of("name: a\ndescription: " + std::string(1100, 'x') + "\n");
  EXPECT_EQ(card.description, std::string(1021, 'x') + "...");
  EXPECT_EQ(said(card), (Texts{"warning 3: description: is longer than 1,024 characters; cut"}));
  EXPECT_EQ(count_characters(card_of("name: a\ndescription: " + std::string(1024, 'x') + "é\n").description), 1024u);
}

TEST(SkillCardTest, ALongDescriptionEndsWithAWordAndAnEllipsis) {
  const auto described = [](const std::string& text) {
    return card_of("name: a\ndescription: " + text + "\n").description;
  };
  std::string words;
  while (words.size() < 1100) words += "tenletters ";
  EXPECT_EQ(described(words), words.substr(0, 1022 / 11 * 11 - 1) + "...");
  // A word that ends exactly where the ellipsis begins stays.
  EXPECT_EQ(described(std::string(1000, 'x') + " " + std::string(20, 'y') + " " + std::string(50, 'z')),
            std::string(1000, 'x') + " " + std::string(20, 'y') + "...");
  EXPECT_EQ(described(std::string(1000, 'x') + " " + std::string(21, 'y') + std::string(50, 'z')),
            std::string(1000, 'x') + "...");
  // What fits is not touched.
  const std::string fits = std::string(1000, 'x') + " " + std::string(23, 'y');
  EXPECT_EQ(described(fits), fits);
  EXPECT_EQ(said(card_of("name: a\ndescription: " + fits + "\n")), Texts());
}

TEST(SkillCardTest, AMissingDescriptionIsSaid) {
  const SkillCard card = card_of("name: a\n", "# T\n\nFirst.\n");
  EXPECT_EQ(card.description, "First.");
  EXPECT_EQ(said(card), (Texts{"warning 0: description: there is none; the first paragraph stands in for it"}));
  EXPECT_EQ(said(card_of("name: a\n", "# T\n")), (Texts{"warning 0: description: there is none"}));
}

TEST(SkillCardTest, ScalarsMayBeListsOrMaps) {
  EXPECT_EQ(with("version: 1.0\n").version, "1.0");
  EXPECT_EQ(with("author: [A, B]\n").author, "A, B");
  EXPECT_EQ(with("compatibility:\n  - linux\n  - git 2\n").compatibility, "linux, git 2");
  EXPECT_EQ(with("compatibility:\n  os: linux\n  needs: [git, curl]\n  x:\n").compatibility,
            "os: linux, needs: git, curl, x");
  EXPECT_EQ(with("license: true\n").license, "true");
  EXPECT_EQ(with("license:\n").license, "");
}

TEST(SkillCardTest, VersionAndAuthorMayBeInMetadata) {
  const SkillCard card = with("metadata: {version: \"2\", author: B}\n");
  EXPECT_EQ(card.version, "2");
  EXPECT_EQ(card.author, "B");
  EXPECT_EQ(with("version: 1\nmetadata: {version: 2}\n").version, "1");
}

TEST(SkillCardTest, TagsComeInManyForms) {
  EXPECT_EQ(with("tags: [a, b]\n").tags, (Texts{"a", "b"}));
  EXPECT_EQ(with("tags: a, b c\n").tags, (Texts{"a", "b c"}));
  EXPECT_EQ(with("tags: \"[a, 'b']\"\n").tags, (Texts{"a", "b"}));
  EXPECT_EQ(with("tags: a\n").tags, (Texts{"a"}));
  EXPECT_EQ(with("tags: [1, true, null, x]\n").tags, (Texts{"1", "true", "x"}));
  EXPECT_EQ(with("tags:\n").tags, Texts());
  EXPECT_EQ(with("metadata: {tags: \"a, b\"}\n").tags, (Texts{"a", "b"}));
  EXPECT_EQ(with("tags: [a]\nmetadata: {hermes: {tags: [b]}}\n").tags, (Texts{"b"}));
  EXPECT_EQ(with("tags: [a]\nmetadata: {hermes: {tags: []}}\n").tags, (Texts{"a"}));
  EXPECT_EQ(said(with("tags: {a: b}\n")), (Texts{"warning 4: tags: expects a list of names, not an object; ignored"}));
}

TEST(SkillCardTest, AllowedToolsComeInManyForms) {
  for (std::string form : {"Read Write", "Read, Write", "[Read, Write]", "\"[Read, Write]\"", "Read,Write"}) {
    EXPECT_EQ(with("allowed-tools: " + form + "\n").allowed_tools, (Texts{"Read", "Write"})) << form;
  }
  EXPECT_EQ(with("allowed-tools:\n- Read\n- Bash(git add:*)\n").allowed_tools, (Texts{"Read", "Bash(git add:*)"}));
}

TEST(SkillCardTest, PlatformsAreCalledByOneName) {
  EXPECT_EQ(with("platforms: macOS\n").platforms, (Texts{"macos"}));
  EXPECT_EQ(with("platforms: [Darwin, LINUX, win32, macos]\n").platforms, (Texts{"macos", "linux", "windows"}));
  EXPECT_EQ(with("platforms: macos, linux\n").platforms, (Texts{"macos", "linux"}));
  EXPECT_EQ(with("platforms: all\n").platforms, Texts());
  EXPECT_EQ(with("platforms: []\n").platforms, Texts());
  EXPECT_EQ(with("platforms:\n").platforms, Texts());
  EXPECT_EQ(said(with("platforms: [plan9, iOS]\n")), Texts());
  const SkillCard card = with("platforms: [openclaw]\n");
  EXPECT_EQ(card.platforms, (Texts{"openclaw"}));
  EXPECT_EQ(said(card), (Texts{"note 4: platforms: \"openclaw\" is no operating system and does not count"}));
}

TEST(SkillCardTest, ConditionsMayBeScalars) {
  EXPECT_EQ(with_hermes("requires_tools: web_search").conditions.requires_tools, (Texts{"web_search"}));
  EXPECT_EQ(with_hermes("fallback_for_tools: a, b").conditions.fallback_for_tools, (Texts{"a", "b"}));
  EXPECT_EQ(with_hermes("requires_toolsets: \"[web]\"").conditions.requires_toolsets, (Texts{"web"}));
  EXPECT_EQ(with_hermes("fallback_for_toolsets: [x, y]").conditions.fallback_for_toolsets, (Texts{"x", "y"}));
  EXPECT_EQ(with_hermes("requires_toolsets: 2024").conditions.requires_toolsets, (Texts{"2024"}));
  EXPECT_EQ(said(with_hermes("requires_tools: web_search")), Texts());
  EXPECT_EQ(said(with_hermes("requires_toolsets: 2024")), Texts());
}

TEST(SkillCardTest, AKeyThatSwallowedACommentIsSaid) {
  EXPECT_EQ(said(with("metadata: {\"hermes\": {\"tags\": [\"a\"], // c\n \"requires_tools\": [\"nope\"]}}\n")),
            (Texts{"warning 4: hermes: \"// c \"requires_tools\"\" is no key that is known here; if a comment got into "
                   "it, write that with #"}));
  EXPECT_EQ(said(with("metadata: {// c\n \"hermes\": {\"tags\": [\"a\"]}}\n")),
            (Texts{"warning 4: metadata: \"// c \"hermes\"\" is no key that is known here; if a comment got into it, "
                   "write that with #"}));
  EXPECT_EQ(said(with_hermes("category: other")), Texts());
}

TEST(SkillCardTest, ConditionsOfAWrongTypeAreSaidAndHarmNothing) {
  for (std::string wrong : {"", "null", "~", "true", "{a: b}", "{}"}) {
    for (std::string field : {"requires_tools", "requires_toolsets", "fallback_for_tools", "fallback_for_toolsets"}) {
      const SkillCard card = with_hermes("tags: [t]\n    " + field + ": " + wrong);
      EXPECT_EQ(card.conditions, SkillConditions()) << field << ": " << wrong;
      EXPECT_EQ(card.tags, (Texts{"t"}));
      ASSERT_EQ(card.diagnostics.size(), 1u) << field << ": " << wrong;
      EXPECT_EQ(card.diagnostics[0].line, 7u);
      EXPECT_EQ(card.diagnostics[0].message.substr(0, field.size() + 2), field + ": ");
    }
  }
  const SkillCard card = with_hermes("requires_tools: [web, 42, null, [x], {y: z}]");
  EXPECT_EQ(card.conditions.requires_tools, (Texts{"web", "42"}));
  EXPECT_EQ(card.diagnostics.size(), 3u);
  EXPECT_EQ(with_hermes("requires_tools: []").conditions, SkillConditions());
}

TEST(SkillCardTest, ABrokenLineDoesNotLoseTheConditions) {
  const SkillCard card =
      card_of("name: a\ndescription: Use when: asked\nmetadata:\n  hermes:\n    requires_toolsets: [web]\n");
  EXPECT_EQ(card.conditions.requires_toolsets, (Texts{"web"}));
  EXPECT_EQ(card.description, "Use when: asked");
}

TEST(SkillCardTest, MetadataMayBeATextOfJson) {
  const SkillCard card = with("metadata: '{\"hermes\": {\"requires_tools\": [\"x\"]}}'\n");
  EXPECT_EQ(card.conditions.requires_tools, (Texts{"x"}));
  EXPECT_EQ(said(with("metadata: just text\n")), (Texts{"warning 4: metadata: expects a map, not a string; ignored"}));
  EXPECT_EQ(said(with("metadata: [a]\n")), (Texts{"warning 4: metadata: expects a map, not a list; ignored"}));
  EXPECT_EQ(said(with("metadata: {hermes: 3}\n")), (Texts{"warning 4: hermes: expects a map, not a string; ignored"}));
  EXPECT_EQ(said(with("metadata:\n")), Texts());
}

TEST(SkillCardTest, WhoMayCallItIsAFlag) {
  EXPECT_TRUE(with("").model_invocable);
  EXPECT_TRUE(with("").user_invocable);
  EXPECT_FALSE(with("disable-model-invocation: true\n").model_invocable);
  EXPECT_FALSE(with("disable-model-invocation: \"Yes\"\n").model_invocable);
  EXPECT_TRUE(with("disable-model-invocation: off\n").model_invocable);
  EXPECT_FALSE(with("user-invocable: false\n").user_invocable);
  EXPECT_FALSE(with("user-invocable: 0\n").user_invocable);
  EXPECT_EQ(said(with("user-invocable: maybe\n")),
            (Texts{"warning 4: user-invocable: expects true or false; ignored"}));
}

}  // namespace
}  // namespace talaria
