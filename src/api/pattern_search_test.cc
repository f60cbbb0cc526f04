#include "api/pattern_search.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

std::vector<Pattern> patterns(std::initializer_list<const char*> expressions) {
  std::vector<Pattern> compiled;
  for (const char* expression : expressions) compiled.push_back(*Pattern::compile(expression));
  return compiled;
}

using Matches = std::vector<LineMatcher::Match>;

TEST(PatternTest, ExplainsABrokenExpression) {
  EXPECT_EQ(Pattern::compile("(").error().message(),
            "the pattern \"(\" is not a regular expression (RE2 syntax): missing ): (");
  EXPECT_FALSE(Pattern::compile(""));
  EXPECT_FALSE(Pattern::compile(std::string(5000, 'a')));
  EXPECT_FALSE(Pattern::compile("(a{1000}){1000}"));
}

TEST(LineMatcherTest, FindsEachPatternOnce) {
  LineMatcher matcher(patterns({"ready", "error: .*"}));
  EXPECT_EQ(matcher.feed("starting\nready on 80\n"), (Matches{{"ready", "ready on 80"}}));
  EXPECT_EQ(matcher.feed("ready again\n"), Matches{});
  EXPECT_FALSE(matcher.done());
  EXPECT_EQ(matcher.feed("error: x\n"), (Matches{{"error: .*", "error: x"}}));
  EXPECT_TRUE(matcher.done());
}

TEST(LineMatcherTest, PutsLinesTogetherFromPieces) {
  LineMatcher matcher(patterns({"^hello$"}));
  EXPECT_EQ(matcher.feed("hel"), Matches{});
  EXPECT_EQ(matcher.feed("lo\nx"), (Matches{{"^hello$", "hello"}}));
}

TEST(LineMatcherTest, SeesAPromptThatHasNoLineEnd) {
  LineMatcher matcher(patterns({"[Pp]assword:"}));
  EXPECT_EQ(matcher.feed("\x1b[1mPassword:\x1b[0m "), (Matches{{"[Pp]assword:", "Password: "}}));
}

TEST(LineMatcherTest, FindsAMatchInALineWithoutEnd) {
  LineMatcher matcher(patterns({"needle"}));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(matcher.feed(std::string(10'000, 'x')), Matches{});
  EXPECT_EQ(matcher.feed("need"), Matches{});
  EXPECT_EQ(matcher.feed("le").size(), 1u);
}

}  // namespace
}  // namespace talaria
