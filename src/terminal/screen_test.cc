#include "terminal/screen.h"

#include <gtest/gtest.h>

#include "terminal/modes.h"

namespace talaria {
namespace {

using Rows = std::vector<std::string>;

Screen drawn(std::string_view bytes, int rows = 4, int cols = 10) {
  Screen screen(rows, cols);
  screen.feed(bytes);
  return screen;
}

TEST(ScreenTest, ShowsWhatStandsWhereInTheEnd) {
  const Screen screen = drawn("one\r\ntwo\x1b[1;2Hxy\x1b[4;10Hz");
  EXPECT_EQ(screen.rows(), (Rows{"oxy", "two", "", "         z"}));
  EXPECT_EQ(screen.cursor(), (Screen::Cursor{3, 9, true}));
  EXPECT_TRUE(screen.is_whole());
}

TEST(ScreenTest, ScrollsWhenTheLastLineIsFull) {
  EXPECT_EQ(drawn("1\r\n2\r\n3\r\n4\r\n5").rows(), (Rows{"2", "3", "4", "5"}));
  EXPECT_EQ(drawn("0123456789abc").rows(), (Rows{"0123456789", "abc", "", ""}));
}

TEST(ScreenTest, ScrollsOnlyTheRegionThatIsSet) {
  EXPECT_EQ(drawn("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx").rows(), (Rows{"1", "3", "x", "4"}));
  EXPECT_EQ(drawn("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2;1H\x1bMx").rows(), (Rows{"1", "x", "2", "4"}));
}

TEST(ScreenTest, InsertsAndDeletesCharactersAndLines) {
  EXPECT_EQ(drawn("abcdef\x1b[1;3H\x1b[2@").rows()[0], "ab  cdef");
  EXPECT_EQ(drawn("abcdef\x1b[1;3H\x1b[2P").rows()[0], "abef");
  EXPECT_EQ(drawn("1\r\n2\r\n3\x1b[1;1H\x1b[M").rows(), (Rows{"2", "3", "", ""}));
  EXPECT_EQ(drawn("1\r\n2\r\n3\x1b[1;1H\x1b[L").rows(), (Rows{"", "1", "2", "3"}));
}

TEST(ScreenTest, KeepsTheFirstScreenWhileTheSecondIsShown) {
  Screen screen = drawn("shell\x1b[?1049h\x1b[Hvim");
  EXPECT_TRUE(screen.is_alternate());
  EXPECT_EQ(screen.rows()[0], "vim");
  screen.feed("\x1b[?1049l");
  EXPECT_FALSE(screen.is_alternate());
  EXPECT_EQ(screen.rows()[0], "shell");
  EXPECT_EQ(screen.cursor(), (Screen::Cursor{0, 5, true}));
}

TEST(ScreenTest, IsAsNewAfterAReset) {
  Screen screen = drawn(
      "a\x1b[?1049hb\x1b]2;title\x07\x1b"
      "c");
  EXPECT_FALSE(screen.is_alternate());
  EXPECT_EQ(screen.title(), "");
  EXPECT_EQ(screen.rows(), Rows(4));
}

TEST(ScreenTest, ShowsWideAndCombinedCharacters) {
  EXPECT_EQ(drawn("a你e\u0301👍!").rows()[0], "a你e\u0301👍!");
  EXPECT_EQ(drawn("a你e\u0301👍!").cursor().col, 7);
  // Half of one that is overwritten is nothing.
  EXPECT_EQ(drawn("你好\x1b[1;2Hx").rows()[0], " x好");
  EXPECT_EQ(drawn("你好\x1b[1;3Hx").rows()[0], "你x");
  // One that does not fit into the line begins the next.
  EXPECT_EQ(drawn("123456789你").rows(), (Rows{"123456789", "你", "", ""}));
}

TEST(ScreenTest, ShowsLinesThatAreDrawnWithTheSecondCharacterSet) {
  EXPECT_EQ(drawn("\x1b(0lqk\x1b(Bq").rows()[0], "┌─┐q");
}

TEST(ScreenTest, IsTheSameHoweverTheBytesAreCut) {
  const std::string bytes =
      "a你\x1b[31mb\x1b]0;t你\x1b\\e\u0301\xff\xe4\xbd \xc2\x9b"
      "5C!\x1bP1;2q???\x1b\\z";
  const Screen whole = drawn(bytes, 4, 30);
  EXPECT_EQ(whole.rows()[0], "a你be\u0301\uFFFD\uFFFD      !z");
  EXPECT_EQ(whole.title(), "t你");
  Screen in_pieces(4, 30);
  for (const char byte : bytes) in_pieces.feed(std::string_view(&byte, 1));
  EXPECT_EQ(in_pieces.rows(), whole.rows());
  EXPECT_EQ(in_pieces.title(), whole.title());
  EXPECT_EQ(in_pieces.painting(4, 30), whole.painting(4, 30));
}

TEST(ScreenTest, HasTitlesWithoutControlCharactersAndNotWithoutEnd) {
  EXPECT_EQ(drawn("\x1b]2;a\tb\u202e"
                  "c\xff"
                  "d\x07")
                .title(),
            "abcd");
  EXPECT_EQ(drawn("\x1b]2;" + std::string(100'000, 'x') + "\x07").title(), std::string(256, 'x'));
  // What never ends shows nothing.
  EXPECT_EQ(drawn("a\x1b]52;c;" + std::string(100'000, 'x')).rows()[0], "a");
}

TEST(ScreenTest, TakesHugeCountsForWhatFits) {
  for (const std::string_view final :
       {"A", "B", "C", "D", "I", "Z", "b", "L", "M", "S", "T", "@", "P", "X", "d", "G"}) {
    const Screen screen = drawn("ab\x1b[999999999999" + std::string(final) + "c");
    EXPECT_EQ(screen.row_count(), 4);
  }
  EXPECT_EQ(drawn("\x1b[" + std::string(500, ';') + "Hx").rows()[0], "x");
  EXPECT_EQ(drawn("\x1b[" + std::string(100'000, '9') + "Hx").rows()[0], "x");
}

TEST(ScreenTest, TakesNoEscapeForTheBeginningOfASequence) {
  EXPECT_EQ(drawn("\x1b*[9999999bc").rows()[0], "9999999bc");
}

TEST(ScreenTest, RepeatsTheLastCharacterWhereThereIsOne) {
  EXPECT_EQ(drawn("ab\x1b[3bc").rows()[0], "abbbbc");
  EXPECT_EQ(drawn("\x1b[3bc").rows()[0], "c");
  EXPECT_EQ(drawn("\x1b(0q\x1b[2b").rows()[0], "───");
}

TEST(ScreenTest, ShowsFiveMarksOnACharacterAndNoEndlessRow) {
  std::string marks;
  for (int i = 0; i < 100'000; ++i) marks += "\u0301";
  std::string five;
  for (int i = 0; i < 5; ++i) five += "\u0301";
  EXPECT_EQ(drawn("e" + marks + "x").rows()[0], "e" + five + "x");
}

TEST(ScreenTest, KeepsTheLineOfTheCursorWhenItGetsSmaller) {
  Screen screen = drawn("1\r\n2\r\n3");
  screen.resize(2, 5);
  EXPECT_EQ(screen.rows(), (Rows{"2", "3"}));
  EXPECT_EQ(screen.cursor(), (Screen::Cursor{1, 1, true}));
  screen.feed("\r\nabcdefg");
  EXPECT_EQ(screen.rows(), (Rows{"abcde", "fg"}));
  screen.resize(3, 20);
  screen.feed("hi");
  EXPECT_EQ(screen.rows(), (Rows{"abcde", "fghi", ""}));
}

TEST(ScreenTest, ForgetsMarginsAndSavedPlacesThatASmallerSizeLacks) {
  Screen screen = drawn(
      "\x1b[3;4r\x1b[4;9H\x1b"
      "7x",
      6, 10);
  screen.resize(2, 2);
  screen.feed(
      "\x1b"
      "8abcdef\r\n\ng");
  EXPECT_EQ(screen.rows(), (Rows{"", "g"}));
}

TEST(ScreenTest, ResizesBothScreens) {
  Screen screen = drawn("first\x1b[?1049hsecond", 4, 12);
  screen.resize(3, 20);
  EXPECT_EQ(screen.rows()[0], "     second");
  screen.feed("\x1b[?1049l\x1b[2;1Hmore");
  EXPECT_EQ(screen.rows(), (Rows{"first", "more", ""}));
}

TEST(ScreenTest, IsWholeAgainWhenAllWasDrawnAnewAfterALoss) {
  Screen screen = drawn("before");
  screen.lose_bytes();
  EXPECT_FALSE(screen.is_whole());
  EXPECT_EQ(screen.rows()[0], "");
  screen.feed("\x1b[2J\x1b[Hafter");
  EXPECT_TRUE(screen.is_whole());
  EXPECT_EQ(screen.rows()[0], "after");

  screen.lose_bytes();
  screen.feed("\r\nx");
  EXPECT_FALSE(screen.is_whole());
  screen.feed("\r\n\n\n\n\n\n");
  EXPECT_TRUE(screen.is_whole());
}

TEST(ScreenTest, PaintsWhatDrawsTheSameElsewhere) {
  const Screen screen =
      drawn("a\x1b[1;31mred\x1b[0m你\r\n\x1b[48;5;7m  \x1b[48;2;1;2;3;4mrgb\x1b[0m\x1b[?1;2004;1002h\x1b[?25l");
  Screen other(4, 10);
  const std::string painting = screen.painting(4, 10);
  other.feed(painting);
  EXPECT_EQ(other.rows(), screen.rows());
  EXPECT_EQ(other.cursor(), screen.cursor());
  EXPECT_EQ(other.painting(4, 10), painting);
  EXPECT_NE(painting.find("\x1b[?1002h"), std::string::npos);
}

TEST(ScreenTest, PaintsTheLinesAroundTheCursorInASmallerWindow) {
  const Screen screen = drawn("1\r\n2\r\n3\r\n1234567你");
  Screen small(2, 8);
  small.feed(screen.painting(2, 8));
  EXPECT_EQ(small.rows(), (Rows{"3", "1234567"}));
}

TEST(ModeTrackerTest, KnowsTheModesThatDecideWhatATerminalSends) {
  ModeTracker modes;
  modes.feed("\x1b[?1000;1006;7h\x1b[?1h\x1b[?1000l");
  EXPECT_EQ(modes.input_modes(), (std::set<int>{1, 1006}));
  modes.feed(
      "\x1b"
      "c");
  EXPECT_EQ(modes.input_modes(), std::set<int>());
}

}  // namespace
}  // namespace talaria
