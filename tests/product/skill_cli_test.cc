// talaria skills at a person's terminal and in a pipe: reading what a stranger wrote, checking and making skills.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "os/file.h"
#include "product/prompt_window.h"
#include "product/skill_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* hidden = "\x1b[8mSend it\x1b[0m \u202eturned\u202c \u009b8m\n";

class SkillCliTest : public testing::Test {
 protected:
  // What a terminal is given, and nothing of ours: without colours.
  std::string on_terminal(std::vector<std::string> arguments) {
    house.environment()["NO_COLOR"] = "1";
    PromptWindow window(house, "talaria", std::move(arguments));
    window.finish();
    return window.shown();
  }
  void expect_usage_error(const std::vector<std::string>& arguments, const std::string& message) {
    const Ran ran = house.run(arguments);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr(message));
  }

  SkillHouse house;
};

MATCHER(IsHarmless, "") {
  return arg.find('\x1b') == std::string::npos && arg.find("\u009b") == std::string::npos &&
         arg.find("\u202e") == std::string::npos;
}

TEST_F(SkillCliTest, ATerminalShowsWhatASkillHidesAndAPipeHasItsBytes) {
  const std::string folder = house.put_skill("sneaky", "name: sneaky\ndescription: d\n", hidden);
  house.put_home("skills/sneaky/references/more.md", hidden, 0644);
  const std::vector<std::vector<std::string>> ways = {{"skills", "view", "sneaky", "--no-input"},
                                                      {"skills", "view", "sneaky", "-f", "references/more.md"},
                                                      {"skills", "run", "sneaky", "--no-input", "--", "go"}};
  for (const std::vector<std::string>& way : ways) {
    EXPECT_THAT(on_terminal(way), AllOf(IsHarmless(), HasSubstr("^[[8mSend it^[[0m \\u{202e}turned\\u{202c} \\x9b8m")));
    EXPECT_THAT(house.run(way).out, HasSubstr("\x1b[8mSend it"));
  }
  EXPECT_THAT(on_terminal({"skills", "view", "sneaky", "--no-input", "--json"}),
              AllOf(IsHarmless(), HasSubstr("\\u202eturned")));
}

TEST_F(SkillCliTest, WhatCheckQuotesStaysOnItsLineEverywhere) {
  const std::string folder =
      house.put_skill("x\u202e\x1b[1m", "name: a\ndescription: d\n\"k\\n/fake: good\\e[2J\": v\n", hidden);
  const std::vector<std::string> check = {"skills", "check", folder};
  const std::string piped = house.run(check).out;
  EXPECT_THAT(piped, AllOf(IsHarmless(), HasSubstr("skills/x\\u{202e}\\x1b[1m/SKILL.md"),
                           HasSubstr("k\\n/fake: good\\x1b[2J: no key that is known here"), Not(HasSubstr("\n/fake")),
                           HasSubstr("line 6: has 3 control characters (the first is U+001B), which a terminal would "
                                     "obey"),
                           HasSubstr("line 6: has 2 invisible characters (the first is U+202E)")));
  EXPECT_THAT(on_terminal(check), AllOf(IsHarmless(), HasSubstr("k\\n/fake: good")));
}

TEST_F(SkillCliTest, CheckWithoutAPathTakesAllThatAreReadHere) {
  house.put_skill("good", "name: good\ndescription: d\n", "Text\n");
  const std::string odd = house.put_skill("odd", "name: odd\ndescription: d\nlicence: MIT\n", "Text\n");
  const Ran ran = house.run({"skills", "check"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr(odd + "/SKILL.md\n  note: line 4: licence"), Not(HasSubstr("good/SKILL.md"))));
  EXPECT_THAT(ran.err, HasSubstr(" do not load"));
  EXPECT_THAT(house.run({"skills", "check", "--json"}).out, HasSubstr("/skills/good/SKILL.md"));
  house.put_home("skills/b/Skill.md", "---\nname: b\n---\nText\n", 0644);
  const Ran broken = house.run({"skills", "check"});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.out, HasSubstr("/skills/b/Skill.md: does not load\n  error: is not read"));
  EXPECT_THAT(house.run({"skills", "list"}).err, HasSubstr("/skills/b/Skill.md: is not read"));
}

TEST_F(SkillCliTest, CheckWithoutAPathShowsWhatTheListLeavesOut) {
  for (int i = 0; i < 25; ++i) {
    const std::string name = "twin-" + std::to_string(i);
    house.put_skill("a/" + name, "name: " + name + "\ndescription: d\n", "Text\n");
    house.put_skill("b/" + name, "name: " + name + "\ndescription: d\n", "Text\n");
  }
  house.put_skill("one", "name: one\ndescription: d\n", "Text\n");
  house.put_home("skills/one/skill.md", "Text\n", 0644);
  EXPECT_THAT(house.run({"skills", "list"}).err, HasSubstr("6 more; talaria skills check shows them"));
  const Ran ran = house.run({"skills", "check"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (int i = 0; i < 25; ++i) {
    EXPECT_THAT(ran.out, HasSubstr("/b/twin-" + std::to_string(i) + "/SKILL.md\n  note: shadowed: "));
  }
  EXPECT_THAT(ran.out, HasSubstr("/one/SKILL.md\n  warning: skill.md: is not read"));
  EXPECT_EQ(split(ran.err, '\n').size(), 2U) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(" 26 with remarks, 0 do not load"));
}

TEST_F(SkillCliTest, ANewSkillIsMadeOnlyWhereItWouldBeFound) {
  house.put_skill("tmpl", "name: tmpl\ndescription: d\n", "Text\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
      {{"v1", "-c", "venv"}, "folders called venv are skipped"},
      {{"venv"}, "folders called venv are skipped"},
      {{"v2", "-c", "tmpl/scripts"}, "is a part of it"},
      {{"v3", "-d", house.root() + "/skills/tmpl", "-c", "scripts"}, "is a part of it"},
      {{"v4", "-c", "a/b/c/d/e/f/g"}, "8 folders below"}};
  for (const auto& [words, reason] : refused) {
    std::vector<std::string> arguments = {"skills", "new"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Ran ran = house.run(arguments);
    EXPECT_EQ(ran.code, 1) << words.front();
    EXPECT_THAT(ran.err, HasSubstr(reason));
  }
  EXPECT_FALSE(exists(house.root() + "/skills/venv"));
  EXPECT_EQ(house.run({"skills", "new", "v5", "-c", "tools/mine"}).code, 0);
}

TEST_F(SkillCliTest, ANewSkillSaysWhomItStandsInFrontOf) {
  const Ran bundled = house.run({"skills", "new", "skill-author"});
  EXPECT_EQ(bundled.code, 0) << bundled.err;
  EXPECT_THAT(bundled.err, HasSubstr("It now stands in front of the skill of this name in "));
  EXPECT_THAT(house.run({"skills", "new", "nobody-has-this"}).err, Not(HasSubstr("of this name")));
}

TEST_F(SkillCliTest, WordsAndOptionsThatAnActionDoesNotTakeAreWrongUsage) {
  expect_usage_error({"skills", "view", ""}, "view takes the name of a skill; an empty word is none");
  expect_usage_error({"skills", "list", "--budget", "5"}, "--budget is an option of prompt, not of list");
  expect_usage_error({"skills", "check", "-c", "x"}, "--category is an option of list and new, not of check");
  expect_usage_error({"skills", "prompt", "--all"}, "--all is an option of list, not of prompt");
}

TEST_F(SkillCliTest, TheHelpOfAnActionBeginsWithItsOwnUsage) {
  EXPECT_THAT(house.run({"skills", "view", "--help"}).out,
              StartsWith("talaria skills view NAME [-f PATH] [--no-input]\n"));
  EXPECT_THAT(house.run({"skills", "--help"}).out, Not(HasSubstr("talaria skills view NAME")));
}

}  // namespace
}  // namespace talaria
