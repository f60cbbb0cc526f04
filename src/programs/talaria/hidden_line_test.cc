#include "talaria/hidden_line.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using State = HiddenLine::State;

// What is in the line when `typed` has been typed; "(typing)" when the line is not over.
std::string entered(const std::string& typed) {
  HiddenLine line{EditingKeys{}};
  for (const char byte : typed) {
    const State state = line.take(byte);
    if (state != State::typing) return (state == State::ended ? "end:" : "") + line.text();
  }
  return "(typing)";
}

TEST(HiddenLineTest, EndsWithEnterOrCtrlD) {
  EXPECT_EQ(entered("secret\n"), "secret");
  EXPECT_EQ(entered("secret\r"), "secret");
  EXPECT_EQ(entered("secret"), "(typing)");
  EXPECT_EQ(entered("\n"), "");
  EXPECT_EQ(entered("\x04"), "end:");
  EXPECT_EQ(entered("half\x04"), "end:half");
}

TEST(HiddenLineTest, CanBeCorrectedBlindly) {
  EXPECT_EQ(entered("abx\x7f"
                    "c\n"),
            "abc");
  EXPECT_EQ(entered("ab\x08\x08\x08"
                    "c\n"),
            "c");
  EXPECT_EQ(entered("a\xc3\xbc\x7f"
                    "b\n"),
            "ab");
  EXPECT_EQ(entered("wrong\x15right\n"), "right");
  EXPECT_EQ(entered("all of it\x17right\n"), "right");
}

TEST(HiddenLineTest, KeysThatAreNoTextAreLeftOut) {
  EXPECT_EQ(entered("a\x1b[Db\x1bOHc\x1b[3~d\x01\x02"
                    "e\n"),
            "abcde");
  EXPECT_EQ(entered("\x1b[200~pasted\x1b[201~\n"), "pasted");
  EXPECT_EQ(entered("a\x1b\n"), "a");
  EXPECT_EQ(entered(std::string("a\0b\tc\n", 6)), "ab\tc");
}

TEST(HiddenLineTest, TakesFarMoreThanATerminalsOwnLine) {
  const std::string secret(100'000, 'k');
  EXPECT_EQ(entered(secret + "\n"), secret);
}

TEST(HiddenLineTest, EndsWhenItIsLongerThanAnyVariable) {
  HiddenLine line{EditingKeys{}};
  size_t taken = 0;
  while (line.take('k') == State::typing) ++taken;
  EXPECT_TRUE(line.too_long());
  EXPECT_EQ(taken, HiddenLine::longest);
}

TEST(HiddenLineTest, HasTheTerminalsOwnKeys) {
  HiddenLine line{EditingKeys{'#', 0, '@', '!'}};
  for (const char byte : std::string("xx@abc#")) EXPECT_EQ(line.take(byte), State::typing);
  EXPECT_EQ(line.text(), "ab");
  EXPECT_EQ(line.take('!'), State::ended);
}

}  // namespace
}  // namespace talaria
