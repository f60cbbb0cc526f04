#include "config/skill_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/edit.h"
#include "config/keys.h"
#include "config/settings.h"
#include "config/show.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using Values = std::map<std::string, std::string>;

Values values_of(std::string_view text) {
  const Result<Settings> settings = parse_settings(text);
  EXPECT_TRUE(settings) << settings.error().message();
  return settings ? settings->skills.config : Values{{"error", settings.error().message()}};
}

TEST(SkillConfigTest, EveryScalarIsItsTextUnderItsDottedKey) {
  EXPECT_EQ(values_of("skills:\n  config:\n    wiki:\n      path: ~/wiki   # here\n      depth: 007\n      on: yes\n"
                      "      since: 2026-01-02\n      none: ~\n      empty: ''\n      long: |\n        a\n        b\n"
                      "    top: ${HOME}/x\n"),
            (Values{{"wiki.path", "~/wiki"},
                    {"wiki.depth", "007"},
                    {"wiki.on", "yes"},
                    {"wiki.since", "2026-01-02"},
                    {"wiki.none", ""},
                    {"wiki.empty", ""},
                    {"wiki.long", "a\nb\n"},
                    {"top", "${HOME}/x"}}));
}

TEST(SkillConfigTest, ListsAreOneLineAndAliasesAreFollowed) {
  EXPECT_EQ(values_of("skills:\n  config:\n    a: &x [1, 'b c', {d: e}]\n    b: *x\n    c: &y {z: 1}\n    d: *y\n"),
            (Values{{"a", "[1, b c, {d: e}]"}, {"b", "[1, b c, {d: e}]"}, {"c.z", "1"}, {"d.z", "1"}}));
}

TEST(SkillConfigTest, ANameWithADotIsReadUnlessTheSectionSaysOtherwise) {
  EXPECT_EQ(values_of("skills:\n  config:\n    a.b: flat\n    c.d: flat\n    a:\n      b: nested\n"),
            (Values{{"a.b", "nested"}, {"c.d", "flat"}}));
}

TEST(SkillConfigTest, NothingInItBreaksTheRest) {
  for (const char* written : {"5", "text", "[a, b]", "~", "", "{a: [{b: [c]}]}", "!!str x"}) {
    const std::string text =
        "skills:\n  inline_shell: true\n  config: " + std::string(written) + "\nexec: {timeout: 5}\n";
    const Result<Settings> settings = parse_settings(text);
    ASSERT_TRUE(settings) << text << settings.error().message();
    EXPECT_TRUE(settings->skills.inline_shell);
    EXPECT_EQ(settings->exec.timeout, 5);
  }
  EXPECT_EQ(unknown_keys("skills: {config: {any: 1, thing: {at: all}}}")->size(), 0u);
  EXPECT_EQ(*unknown_keys("skills:\n  config: 5\n"), (std::vector<UnknownKey>{{"skills.config", 2, ""}}));
}

TEST(SkillConfigTest, AliasesThatMultiplyEndSomewhere) {
  std::string text = "x0: &x0 {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*x" + std::to_string(i - 1);
    text += "x" + std::to_string(i) + ": &x" + std::to_string(i) + " {a: " + before + " , b: " + before +
            " , c: " + before + " , d: " + before + " , e: " + before + " }\n";
  }
  EXPECT_LE(values_of(text + "skills: {config: *x11 }\n").size(), 10'000u);
}

TEST(SkillConfigTest, SettingKeepsWhatWasTypedAndEveryOtherByte) {
  const std::string text =
      "# mine\nskills:\n  config:   # of skills\n    wiki:\n      path: old   # where\n      other: [1, 2]\n"
      "  unknown: kept\n";
  for (const char* typed : {"~/my wiki", "${HOME}/w", "[a,  b]", "{a: 1}", "007", "true", "null", "~", "\"x\"", " x ",
                            "a: b # c", "it's", "", "zwei\nZeilen", "-", "*.md", "@x", "ü"}) {
    const Result<std::string> after = set_key(text, "skills.config.wiki.path", typed);
    ASSERT_TRUE(after) << typed << ": " << after.error().message();
    EXPECT_EQ(values_of(*after).at("wiki.path"), typed);
    EXPECT_EQ(get_key(*after, "skills.config.wiki.path")->value_or("-"), typed);
    const size_t place = text.find("old");
    EXPECT_EQ(after->substr(0, place), text.substr(0, place));
    EXPECT_TRUE(after->ends_with("   # where\n      other: [1, 2]\n  unknown: kept\n")) << *after;
  }
  EXPECT_EQ(*unset_key(text, "skills.config.wiki.path"),
            "# mine\nskills:\n  config:   # of skills\n    wiki:\n      other: [1, 2]\n  unknown: kept\n");
  EXPECT_EQ(*set_key("", "skills.config.a.b", "c"), "skills:\n  config:\n    a:\n      b: c\n");
}

TEST(SkillConfigTest, RefusesOnlyWhatHasNoPlace) {
  EXPECT_THAT(set_key("", "skills.config", "x").error().message(), HasSubstr("must be a section with any keys"));
  EXPECT_THAT(set_key("skills: {config: {a: 1}}", "skills.config.a.b", "x").error().message(),
              HasSubstr("skills.config.a is \"1\" (line 1) and cannot hold skills.config.a.b"));
  EXPECT_THAT(set_key("skills: {config: {a: {b: 1}}}", "skills.config.a", "x").error().message(),
              HasSubstr("is a section"));
  EXPECT_THAT(set_key("skills: {config: [a]}", "skills.config.a", "x").error().message(), HasSubstr("is a list"));
  EXPECT_THAT(set_key("", "skills.config.a", "\xff").error().message(), HasSubstr("cannot be written"));
}

TEST(SkillConfigTest, IsShownAsOneKey) {
  const std::vector<SettingRow> rows = *show_settings("skills: {config: {a: {b: '1'}, c: x y}}\n");
  const auto row =
      std::find_if(rows.begin(), rows.end(), [](const SettingRow& one) { return one.key == "skills.config"; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->value, "{a.b: 1, c: x y}");
  EXPECT_EQ(row->typed_value, Json(JsonObject{{"a.b", "1"}, {"c", "x y"}}));
  EXPECT_EQ(row->source, "config.yaml");
  EXPECT_EQ(row->default_value, "{}");
}

TEST(SkillConfigTest, TheOtherKeysOfSkillsAreTyped) {
  const SkillsSettings skills = parse_settings(
                                    "skills:\n  external_dirs: ~/one\n  trusted_project_dirs: [/a, /b]\n"
                                    "  project_discovery: false\n  disabled:\n  - x\n  template_vars: false\n"
                                    "  inline_shell: true\n  inline_shell_timeout: 2.5\n"
                                    "  inline_shell_trust: [community]\n  prompt_budget_chars: 0\n")
                                    ->skills;
  SkillsSettings wanted;
  wanted.external_dirs = {"~/one"};
  wanted.trusted_project_dirs = {"/a", "/b"};
  wanted.project_discovery = false;
  wanted.disabled = {"x"};
  wanted.template_vars = false;
  wanted.inline_shell = true;
  wanted.inline_shell_timeout = 2.5;
  wanted.inline_shell_trust = {"community"};
  wanted.prompt_budget_chars = 0;
  EXPECT_EQ(skills, wanted);
  for (const char* wrong : {"external_dirs: {a: b}", "external_dirs: ''", "external_dirs: [[a]]", "inline_shell: 1",
                            "inline_shell_timeout: 0", "inline_shell_timeout: 301", "inline_shell_trust: [local]",
                            "inline_shell_trust: community", "prompt_budget_chars: 1000001"}) {
    EXPECT_FALSE(parse_settings("skills: {" + std::string(wrong) + "}")) << wrong;
  }
}

}  // namespace
}  // namespace talaria
