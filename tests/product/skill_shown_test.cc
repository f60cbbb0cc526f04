// What is shown of skills: which of one name, to whom, and what beside its text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "product/skill_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SkillShownTest : public testing::Test {
 protected:
  SkillHouse house;
};

TEST_F(SkillShownTest, ThePromptSaysNothingOfSkillsToAnAgentThatCannotLoadThem) {
  house.put_skill("one", "name: one\ndescription: First.\n", "T.\n");
  EXPECT_THAT(house.run({"skills", "prompt"}).out, HasSubstr("    - one: First."));
  house.configure("toolsets", "[file, terminal]");
  const Ran ran = house.run({"skills", "prompt"});
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("skill_view"));
  const JsonObject answer = parse_json(house.run({"skills", "prompt", "--json"}).out)->get_object();
  EXPECT_EQ(text_or(answer, "prompt"), "");
  EXPECT_THAT(text_or(answer, "empty_because"), HasSubstr("skill_view"));
}

TEST_F(SkillShownTest, ASkillForOtherPlatformsStandsInFrontOfNobody) {
  const std::string mac = house.put_skill("n1", "name: notes\ndescription: M.\nplatforms: [macos]\n", "For a Mac.\n");
  house.put_skill("n2", "name: notes\ndescription: L.\nplatforms: [linux]\n", "For Linux.\n");
  house.put_skill("arxiv", "name: arxiv\ndescription: M.\nplatforms: [macos]\n", "For a Mac.\n");
  EXPECT_THAT(house.names(), ElementsAre("notes"));
  EXPECT_THAT(house.content("notes"), HasSubstr("For Linux."));
  EXPECT_THAT(house.run({"skills", "run", "/notes"}).out, HasSubstr("For Linux."));
  EXPECT_EQ(text_or(house.view("arxiv"), "source"), "bundled");
  EXPECT_THAT(house.run({"skills", "prompt"}).out, AllOf(HasSubstr("- notes: L."), HasSubstr("- arxiv: ")));
  EXPECT_THAT(house.run({"skills", "list"}).err,
              HasSubstr(mac + "/SKILL.md: platforms names macos, and this is linux: "));
}

TEST_F(SkillShownTest, PlatformsThatAreNoOperatingSystemsHideNoSkill) {
  house.put_skill("claws", "name: claws\ndescription: C.\nplatforms: [openclaw, claude-code]\n", "T.\n");
  house.put_skill("mac", "name: mac\ndescription: M.\nplatforms: [openclaw, macos]\n", "T.\n");
  EXPECT_THAT(house.names(), testing::ElementsAre("claws"));
}

TEST_F(SkillShownTest, WhatIsTurnedOffKeepsItsNameAndSaysSo) {
  const std::string first = house.put_skill("a/notes", "name: notes\ndescription: A.\n", "T.\n");
  house.put_skill("b/notes", "name: notes\ndescription: B.\n", "T.\n");
  EXPECT_EQ(house.run({"skills", "disable", "notes"}).code, 0);
  EXPECT_THAT(house.names(), IsEmpty());
  EXPECT_THAT(house.run({"skills", "list"}).err,
              HasSubstr("shadowed: " + first + "/SKILL.md has its name, and is hidden: skills.disabled names notes"));
}

TEST_F(SkillShownTest, APersonWhoViewsASkillSeesWhatItsFrontMatterSays) {
  house.put_skill("one",
                  "name: one\ndescription: First.\nversion: 1.0\nlicense: MIT\ncompatibility: Needs git\n"
                  "allowed-tools: Read Bash\nhomepage: https://example.com\nlevels: {a: [1, 2]}\n",
                  "Text.\n");
  EXPECT_THAT(house.run({"skills", "view", "one"}).out,
              EndsWith("\n\n[Front matter:\n  version: 1.0\n  license: MIT\n  compatibility: Needs git\n"
                       "  allowed-tools: Read, Bash\n  homepage: https://example.com\n"
                       "  levels: {\"a\":[\"1\",\"2\"]}\n]\n"));
  EXPECT_THAT(house.run({"skills", "run", "one"}).out, Not(HasSubstr("[Front matter:")));
}

}  // namespace
}  // namespace talaria
