#include "config/list_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/edit.h"
#include "config/settings.h"

namespace talaria {
namespace {

using testing::HasSubstr;

std::string added(std::string_view text, std::string_view value, std::string_view key = "skills.disabled") {
  const Result<std::string> result = add_to_list(text, key, value);
  return result ? *result : "error: " + result.error().message();
}

std::string removed(std::string_view text, std::string_view value, std::string_view key = "skills.disabled") {
  const Result<std::string> result = remove_from_list(text, key, value);
  return result ? *result : "error: " + result.error().message();
}

TEST(ListEditTest, MakesAKeyThatIsAbsent) {
  EXPECT_EQ(added("", "a"), "skills:\n  disabled: [a]\n");
  EXPECT_EQ(added("skills:\n    inline_shell: true # x\n", "a"),
            "skills:\n    inline_shell: true # x\n    disabled: [a]\n");
  EXPECT_EQ(added("skills: {disabled: }\n", "a"), "skills: {disabled: [a] }\n");
  EXPECT_EQ(added("skills:\n  disabled:   # none\n", "a b: c"), "skills:\n  disabled: [\"a b: c\"]   # none\n");
}

TEST(ListEditTest, ABlockListStaysOne) {
  const std::string text =
      "skills:\n"
      "  disabled:   # why\n"
      "    # above\n"
      "    -   one   # first\n"
      "    # between\n"
      "    -   'two'\n"
      "    # below\n"
      "  inline_shell: true\n";
  EXPECT_EQ(added(text, "three"),
            "skills:\n"
            "  disabled:   # why\n"
            "    # above\n"
            "    -   one   # first\n"
            "    # between\n"
            "    -   'two'\n"
            "    -   three\n"
            "    # below\n"
            "  inline_shell: true\n");
  EXPECT_EQ(removed(text, "one"),
            "skills:\n"
            "  disabled:   # why\n"
            "    # above\n"
            "    # between\n"
            "    -   'two'\n"
            "    # below\n"
            "  inline_shell: true\n");
  EXPECT_EQ(removed(removed(text, "one"), "two"),
            "skills:\n"
            "  disabled: []   # why\n"
            "    # above\n"
            "    # between\n"
            "    # below\n"
            "  inline_shell: true\n");
}

TEST(ListEditTest, AListAtTheEndOfAFileWithoutANewlineGrows) {
  EXPECT_EQ(added("skills:\n  disabled:\n  - a", "b"), "skills:\n  disabled:\n  - a\n  - b");
  EXPECT_EQ(added("skills:\r\n  disabled:\r\n  - a\r\n", "b"), "skills:\r\n  disabled:\r\n  - a\r\n  - b\r\n");
  EXPECT_EQ(removed("skills:\n  disabled:\n  - a\n  - b", "b"), "skills:\n  disabled:\n  - a\n");
}

TEST(ListEditTest, AFlowListOnOneLineStaysOne) {
  EXPECT_EQ(added("skills: {disabled: [ a , 'b' ], x: 1} # c\n", "c"),
            "skills: {disabled: [ a , 'b', c ], x: 1} # c\n");
  EXPECT_EQ(added("skills:\n  disabled: []   # none\n", "a"), "skills:\n  disabled: [a]   # none\n");
  EXPECT_EQ(added("skills:\n  disabled: [a,]\n", "b"), "skills:\n  disabled: [a, b,]\n");
  EXPECT_EQ(removed("skills:\n  disabled: [a, b, c]  # x\n", "a"), "skills:\n  disabled: [b, c]  # x\n");
  EXPECT_EQ(removed("skills:\n  disabled: [a, b, c]  # x\n", "b"), "skills:\n  disabled: [a, c]  # x\n");
  EXPECT_EQ(removed("skills:\n  disabled: [a, b, c]  # x\n", "c"), "skills:\n  disabled: [a, b]  # x\n");
  EXPECT_EQ(removed("skills:\n  disabled: [a]  # x\n", "a"), "skills:\n  disabled: []  # x\n");
}

TEST(ListEditTest, AFlowListWithALineForEachItemKeepsThem) {
  const std::string text =
      "skills:\n"
      "  disabled: [   # why\n"
      "    one,   # first\n"
      "    two    # second\n"
      "  ]\n";
  EXPECT_EQ(added(text, "three"),
            "skills:\n"
            "  disabled: [   # why\n"
            "    one,   # first\n"
            "    two,    # second\n"
            "    three\n"
            "  ]\n");
  EXPECT_EQ(removed(text, "two"),
            "skills:\n"
            "  disabled: [   # why\n"
            "    one,   # first\n"
            "  ]\n");
  EXPECT_EQ(added(removed(text, "two"), "three"),
            "skills:\n"
            "  disabled: [   # why\n"
            "    one,   # first\n"
            "    three,\n"
            "  ]\n");
  EXPECT_EQ(removed(removed(text, "two"), "one"), "skills:\n  disabled: [   # why\n  ]\n");
}

TEST(ListEditTest, ASingleTextBecomesAListAndGoes) {
  EXPECT_EQ(added("skills: {external_dirs: ~/a}  # x\n", "~/b", "skills.external_dirs"),
            "skills: {external_dirs: [\"~/a\", \"~/b\"]}  # x\n");
  EXPECT_EQ(removed("skills:\n  external_dirs: ~/a  # x\n", "~/a", "skills.external_dirs"),
            "skills:\n  external_dirs: []  # x\n");
}

TEST(ListEditTest, WhatIsThereOrNotThereChangesNothing) {
  for (const std::string text : {"skills:\n  disabled: [a] # c", "skills:\n  disabled:\n  -  a\n"}) {
    EXPECT_EQ(added(text, "a"), text);
    EXPECT_EQ(removed(text, "b"), text);
  }
  EXPECT_EQ(removed("# nothing\n", "b"), "# nothing\n");
  EXPECT_EQ(removed("skills: {disabled: ~}\n", "b"), "skills: {disabled: ~}\n");
}

TEST(ListEditTest, RemovesEveryOneThatIsEqual) {
  EXPECT_EQ(removed("skills:\n  disabled:\n  - a\n  - b\n  - \"a\"\n", "a"), "skills:\n  disabled:\n  - b\n");
}

TEST(ListEditTest, RefusesWhatItCannotChangeAlone) {
  EXPECT_THAT(added("x: &l [a]\nskills: {disabled: *l}\n", "b"), HasSubstr("error: an alias"));
  EXPECT_THAT(added("skills: {disabled: &l [a]}\nx: *l\n", "b"), HasSubstr("error: an alias"));
  EXPECT_THAT(removed("x: &s {disabled: [a]}\nskills: *s\n", "a"), HasSubstr("error: an alias"));
  EXPECT_THAT(added("skills: {disabled: [[a]]}\n", "b"), HasSubstr("holds more than texts"));
  EXPECT_THAT(added("skills: {disabled: {a: b}}\n", "b"), HasSubstr("is a section"));
  EXPECT_THAT(added("skills: [\n", "b"), HasSubstr("error: 2:1: "));
  EXPECT_THAT(added("", "b", "skills.inline_shell"), HasSubstr("holds no list; it is true or false"));
  EXPECT_THAT(added("", "b", "skills"), HasSubstr("is a section"));
  EXPECT_THAT(added("", "b", "skills.config.a"), HasSubstr("holds no list; it is a text"));
  EXPECT_THAT(added("", "\xff"), HasSubstr("cannot be written"));
  EXPECT_THAT(added("skills: {inline_shell_trust: [community]}\n", "everyone", "skills.inline_shell_trust"),
              HasSubstr("skills.inline_shell_trust must be a list of any of agent-created or community"));
}

TEST(ListEditTest, AddingAndRemovingGivesEveryTextBack) {
  const std::string texts[] = {"skills:\n  disabled: [x, \"y z\"]\n# end\n",
                               "skills:\n  disabled:\n    - x # 1\n# end\n", "skills: {disabled: [x]}\n",
                               "skills:\n  disabled: [\n    x,\n    y,\n  ]\n"};
  for (const std::string& text : texts) {
    for (const char* value : {"plain", "~/a b", "${HOME}/x", "- dash", "it's \"quoted\"", "a, b", "#x", "ü\t\n", "*"}) {
      const std::string more = added(text, value);
      EXPECT_EQ(parse_settings(more)->skills.disabled.back(), value) << more;
      EXPECT_EQ(removed(more, value), text) << more;
    }
  }
}

}  // namespace
}  // namespace talaria
