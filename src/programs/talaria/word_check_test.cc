#include "talaria/word_check.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using Words = std::vector<std::string>;

const CommandGrammar grammar = {
    {{{"-h", "--help"}, ""}, {{"-r", "--running"}, ""}, {{"-n", "--limit"}, "NUMBER"}, {{"--literal"}, "TEXT"}},
    {{"ID", "The job, or the beginning of its id", true, false}, {"KEY", "Keys", false, true}},
    false};

std::string wrong(const Words& words) { return check_words(grammar, words).wrong; }

TEST(WordCheckTest, WhatFitsIsNotWrong) {
  for (const Words& words : {Words{"k3f9"},
                             {"-r", "k3f9", "Up", "Down"},
                             {"k3f9", "-n", "3"},
                             {"k3f9", "-rn3"},
                             {"k3f9", "--limit=3"},
                             {"k3f9", "--literal", "--running"},
                             {"--", "--not-ours"},
                             {"k3f9", "-"},
                             {""}}) {
    EXPECT_EQ(wrong(words), "");
  }
}

TEST(WordCheckTest, SaysWhatIsWrongAndWhatWasMeant) {
  EXPECT_EQ(wrong({"k", "--runing"}), "there is no option --runing; did you mean --running?");
  EXPECT_EQ(wrong({"k", "--limt=3"}), "there is no option --limt; did you mean --limit?");
  EXPECT_EQ(wrong({"k", "-running"}), "there is no option -running; did you mean --running?");
  EXPECT_EQ(wrong({"k", "-x"}), "there is no option -x");
  EXPECT_EQ(wrong({"k", "--\xff\n"}), "there is no option --\\xff\\n");
  EXPECT_EQ(wrong({"k", "--limit"}), "--limit needs a value: --limit NUMBER");
  EXPECT_EQ(wrong({"k", "-rn"}), "-n needs a value: -n NUMBER");
  EXPECT_EQ(wrong({"k", "--running=yes"}), "--running takes no value");
  EXPECT_EQ(wrong({}), "ID is missing: the job, or the beginning of its id");
  EXPECT_EQ(check_words({{}, {}, false}, {"a"}).wrong, "unexpected word \"a\"; only options are taken here");
  EXPECT_EQ(check_words({{}, {{"ID", "", true, false}, {"TEXT", "", true, false}}, false}, {"a", "b", "c"}).wrong,
            "unexpected word \"c\"; what is taken is ID and TEXT");
}

TEST(WordCheckTest, HelpAndTheVersionAreAskedForBesideMistakes) {
  EXPECT_TRUE(check_words(grammar, {"-h", "--bogus"}).help);
  EXPECT_TRUE(check_words(grammar, {"-rh"}).help);
  EXPECT_FALSE(check_words(grammar, {"k", "--literal", "-h"}).help);
  EXPECT_FALSE(check_words(grammar, {"--", "-h"}).help);
  EXPECT_TRUE(check_words(grammar, {"-v"}).version);
  const CommandGrammar verbose = {{{{"-v", "--verbose"}, ""}}, {}, false};
  EXPECT_FALSE(check_words(verbose, {"-v"}).version);
  EXPECT_TRUE(check_words(verbose, {"--version"}).version);
}

TEST(WordCheckTest, ANameThatDoesNotExistBringsTheNearestAndAll) {
  EXPECT_EQ(no_such("action", "lst", {"list", "view"}),
            "there is no action \"lst\"; did you mean list? There are list, view");
  EXPECT_EQ(no_such("tool", "qqqqqq", {"exec", "patch", "read"}),
            "there is no tool \"qqqqqq\"; there are exec, patch, read");
}

}  // namespace
}  // namespace talaria
