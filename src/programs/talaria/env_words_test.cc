#include "talaria/env_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "talaria/env_list.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(EnvWordsTest, SetTakesOneName) {
  EXPECT_EQ(*name_to_set({"TENOR_API_KEY"}), "TENOR_API_KEY");
  EXPECT_EQ(*name_to_set({"_x1"}), "_x1");
  EXPECT_FALSE(name_to_set({}));
}

TEST(EnvWordsTest, AValueIsRefusedWithTheReasonAndNotRepeated) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"NAME", "hush"}, {"NAME=hush"}, {"NAME=", "hush"}, {"NAME", "-hush"}, {"1=hush"}}) {
    const Result<std::string> name = name_to_set(words);
    ASSERT_FALSE(name);
    EXPECT_THAT(name.error().message(), AllOf(HasSubstr("list of processes"), HasSubstr("history"),
                                              HasSubstr("talaria env set NAME"), Not(HasSubstr("hush"))));
  }
  EXPECT_THAT(name_to_set({"sk-hush"}).error().message(), Not(HasSubstr("hush")));
}

TEST(EnvWordsTest, UnsetTakesNames) {
  EXPECT_EQ(*names_to_unset({"A", "B"}), (std::vector<std::string>{"A", "B"}));
  EXPECT_FALSE(names_to_unset({}));
  EXPECT_FALSE(names_to_unset({"A", "b c"}));
}

TEST(EnvWordsTest, AnOptionAfterTheActionIsSentToItsPlace) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--json", "NAME"}, {"NAME", "--json"}}) {
    EXPECT_EQ(name_to_set(words).error().message(), "options stand before the names: talaria env --json set NAME");
    EXPECT_EQ(names_to_unset(words).error().message(), "options stand before the names: talaria env --json unset NAME");
  }
}

TEST(EnvWordsTest, TheListHoldsNoValue) {
  const std::vector<EnvRow> rows = env_rows({{"A", "hush"}, {"B", ""}}, {"A", "Z"});
  EXPECT_EQ(rows, (std::vector<EnvRow>{{"A", false, true, ""}, {"B", true, false, ""}}));
  EXPECT_EQ(write_json(env_json("/h/.env", rows)),
            R"({"path":"/h/.env","variables":[{"name":"A","empty":false,"passthrough":true},)"
            R"({"name":"B","empty":true,"passthrough":false}]})");
}

TEST(EnvWordsTest, WhatIsListedAndNeverPassedIsSaidToBe) {
  const std::vector<EnvRow> rows = env_rows({{"OPENAI_API_KEY", "hush"}, {"LD_PRELOAD", "x"}}, {"OPENAI_API_KEY"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].refused, "");
  EXPECT_FALSE(rows[1].passed);
  EXPECT_THAT(rows[1].refused, testing::HasSubstr("credential of a model provider"));
  EXPECT_THAT(
      write_json(env_json("/h/.env", rows)),
      testing::HasSubstr(R"("name":"OPENAI_API_KEY","empty":false,"passthrough":false,"refused":"it is a cred)"));
}

}  // namespace
}  // namespace talaria
