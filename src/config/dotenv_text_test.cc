#include "config/dotenv_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Variables = std::map<std::string, std::string>;

std::string set(std::string_view text, std::string_view name, std::string_view value) {
  const Result<std::string> result = set_variable(text, name, value);
  return result ? *result : "error: " + result.error().message();
}

TEST(DotenvTextTest, ReadsNamesAndValues) {
  EXPECT_EQ(parse_dotenv("A=1\nexport B = two words # note\n# C=3\n\nD='it''s $x'\nE=\"a\\n\\\"b\\\"\" # n\nF=a#b\nG=\n"
                         "1X=no\nno line\r\nH=crlf\r\nI=\"open\nJ= # note\nK=#x\nA=2"),
            (Variables{{"A", "2"},
                       {"B", "two words"},
                       {"D", "it"},
                       {"E", "a\n\"b\""},
                       {"F", "a#b"},
                       {"G", ""},
                       {"H", "crlf"},
                       {"I", "\"open"},
                       {"J", ""},
                       {"K", "#x"}}));
  EXPECT_EQ(parse_dotenv("\xef\xbb\xbf"
                         "A=1\n"),
            (Variables{{"A", "1"}}));
}

TEST(DotenvTextTest, AQuotedValueMayGoOverLines) {
  EXPECT_EQ(parse_dotenv("KEY=\"-----BEGIN\nabc=\n-----END\"  # the key\nB='x\ny'\r\nC=3\n"),
            (Variables{{"KEY", "-----BEGIN\nabc=\n-----END"}, {"B", "x\ny"}, {"C", "3"}}));
}

TEST(DotenvTextTest, AStrayQuoteSwallowsNothing) {
  EXPECT_EQ(parse_dotenv("A=\"x\nB=\"y\"\nC='z\n"), (Variables{{"A", "\"x"}, {"B", "y"}, {"C", "'z"}}));
}

TEST(DotenvTextTest, LinesThatMeanNothingAreCounted) {
  EXPECT_EQ(stray_dotenv_lines("A=1\n\n# note\n  \t\r\nno line\r\nB='x\ny'\n1X=no\nexport C\nD=\"open\nlast"),
            (std::vector<size_t>{5, 8, 9, 11}));
  EXPECT_EQ(stray_dotenv_lines(""), std::vector<size_t>());
}

TEST(DotenvTextTest, SettingChangesOneLineInPlace) {
  EXPECT_EQ(set("# a\n  export A = old  # why\nB=2\n", "A", "new"), "# a\n  export A = new  # why\nB=2\n");
  EXPECT_EQ(set("A=\"old\"#why\n", "A", "n"), "A=n #why\n");
  EXPECT_EQ(set("A='it''s'\r\nB=2\r\n", "A", "n"), "A=n\r\nB=2\r\n");
  EXPECT_EQ(set("A=\nB=2", "A", "n"), "A=n\nB=2");
  EXPECT_EQ(set("A= # why\n", "A", "n"), "A=n # why\n");
  EXPECT_EQ(set("A='x\ny' # why\nB=2\n", "A", "n"), "A=n # why\nB=2\n");
  EXPECT_EQ(set("junk\nA=1\nA=2\n", "A", "3"), "junk\nA=1\nA=3\n");
}

TEST(DotenvTextTest, ANewVariableComesAtTheEnd) {
  EXPECT_EQ(set("", "A", "1"), "A=1\n");
  EXPECT_EQ(set("B=2", "A", "1"), "B=2\nA=1\n");
  EXPECT_EQ(set("B=2\r\n", "A", "1"), "B=2\r\nA=1\r\n");
  EXPECT_EQ(set("\xef\xbb\xbf", "A", "1"),
            "\xef\xbb\xbf"
            "A=1\n");
}

TEST(DotenvTextTest, EveryValueIsReadBackAsItWas) {
  std::mt19937 random(7);
  const std::string_view odd = "'\"\\$#`! =\n\r\t;~{}()x-";
  const std::string before = "# first\nexport NAME=old # beside\nOTHER='x'\n";
  for (int round = 0; round < 3000; ++round) {
    std::string value;
    const size_t length = 1 + random() % 12;
    while (value.size() < length) {
      value += round % 3 == 0 ? static_cast<char>(1 + random() % 255) : odd[random() % odd.size()];
    }
    for (const char* name : {"NAME", "FRESH"}) {
      const Result<std::string> after = set_variable(before, name, value);
      ASSERT_TRUE(after) << after.error().message();
      EXPECT_EQ(parse_dotenv(*after).at(name), value) << *after;
      EXPECT_EQ(parse_dotenv(*after).at("OTHER"), "x");
      EXPECT_THAT(*after, AllOf(HasSubstr("# first\n"), HasSubstr(" # beside\nOTHER='x'\n")));
      EXPECT_EQ(set(*after, name, value), *after);
    }
  }
  EXPECT_EQ(set("", "A", "héllo wörld"), "A='héllo wörld'\n");
  EXPECT_EQ(set("", "A", "a$b"), "A='a$b'\n");
  EXPECT_EQ(set("", "A", "it's $5"), "A=\"it's \\$5\"\n");
}

TEST(DotenvTextTest, RefusesWhatNoVariableCanHoldAndNeverShowsIt) {
  using namespace std::string_literals;
  const std::string refused[] = {set("", "A", "hush\0hush"s), set("", "A", std::string(200'000, 'h')),
                                 set("", "1A", "hush"),       set("", "A-B", "hush"),
                                 set("", "", "hush"),         set("", "A\nB=hush2", "hush")};
  for (const std::string& message : refused) EXPECT_THAT(message, AllOf(HasSubstr("error: "), Not(HasSubstr("hush"))));
  EXPECT_EQ(set("A=1\n", "A", ""), "error: the value of A is empty; unset removes a variable");
}

TEST(DotenvTextTest, UnsettingRemovesEveryLineOfTheName) {
  EXPECT_EQ(*unset_variable("# a\nA=1 # x\nB=2\nexport A='y\nz'\n# end", "A"), "# a\nB=2\n# end");
  EXPECT_EQ(*unset_variable("B=2\nA=1", "A"), "B=2\n");
  EXPECT_EQ(*unset_variable("B=2\n", "A"), "B=2\n");
  EXPECT_FALSE(unset_variable("A=\"x\nN=b\"y\n\" # A would grow\n", "N"));
}

}  // namespace
}  // namespace talaria
