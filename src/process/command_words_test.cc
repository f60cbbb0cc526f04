#include "process/command_words.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using Words = std::vector<std::string>;
using Parts = std::vector<CommandPart>;

TEST(CommandWordsTest, TakesQuotesAndRedirectionsOff) {
  EXPECT_EQ(*split_command("a 'b c' \"d \\\" e\" f\\ g 2>&1 >out <in h\\\ni"),
            (Parts{{"", {"a", "b c", "d \" e", "f g", "hi"}}}));
}

TEST(CommandWordsTest, SplitsAtSeparators) {
  EXPECT_EQ(*split_command("a|b && c||d; e &\nf"),
            (Parts{{"", {"a"}}, {"|", {"b"}}, {"&&", {"c"}}, {"||", {"d"}}, {";", {"e"}}, {";", {"f"}}}));
}

TEST(CommandWordsTest, GivesUpOnAnythingElse) {
  for (const char* command : {"", "  ", "a $(b)", "a `b`", "(a)", "a <<E", "diff <(a) b", "a 'b", "a \"b", "a \\",
                              "# x", "\"$(a)\"", "f() { a; }", "a |& b", "$'x'"}) {
    EXPECT_FALSE(split_command(command)) << command;
  }
}

TEST(CommandWordsTest, FindsTheProgramBehindItsWrappers) {
  EXPECT_EQ(program_words({"A=1", "sudo", "-u", "bob", "B=2", "/usr/bin/make", "-j4"}), (Words{"make", "-j4"}));
  EXPECT_EQ(program_words({"nohup", "nice", "-n", "5", "x"}), (Words{"x"}));
  EXPECT_EQ(program_words({"command", "-v", "x"}), (Words{"command", "-v", "x"}));
  EXPECT_EQ(program_words({"A=1"}), Words{});
  EXPECT_EQ(program_words({"sudo", "-u"}), Words{});
  EXPECT_EQ(program_words({}), Words{});
}

}  // namespace
}  // namespace talaria
