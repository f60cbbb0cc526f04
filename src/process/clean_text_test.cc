#include "process/clean_text.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/utf8.h"

namespace talaria {
namespace {

using namespace std::string_literals;

TEST(CleanTextTest, KeepsPlainTextTabsAndLineFeeds) {
  EXPECT_EQ(clean("a\tb\n\nc é € 😀"), "a\tb\n\nc é € 😀");
  EXPECT_EQ(clean(""), "");
}

TEST(CleanTextTest, StripsControlSequences) {
  EXPECT_EQ(clean("\x1b[31mred\x1b[0m \x1b[1;38;5;4mx\x1b[K\x1b[?25l\x1b[>4;2m\x1b[2 qy"), "red xy");
  EXPECT_EQ(clean("\xC2\x9B"
                  "31mred"),
            "red");
}

TEST(CleanTextTest, StripsStrings) {
  EXPECT_EQ(clean("a\x1b]0;title\x07"
                  "b"),
            "ab");
  EXPECT_EQ(clean("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b"), "alinkb");
  EXPECT_EQ(clean("a\x1bPq#0\nsixel\x07\x1b\\b"), "ab");
  EXPECT_EQ(clean("a\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\b"), "ab");
  EXPECT_EQ(clean("a\xC2\x9D"
                  "0;t\xC2\x9C"
                  "b\xC2\x90q\x1b\\c"),
            "abc");
}

TEST(CleanTextTest, StripsTwoByteEscapesAndCharsets) {
  EXPECT_EQ(clean("\x1b"
                  "7a\x1b(B\x1b)0\x1b#8\x1b F\x1b%G\x1b=b\x1b"
                  "8\x1bM\x1b\\\x1b"
                  "c"),
            "ab");
}

TEST(CleanTextTest, ShowsControlCharacters) {
  EXPECT_EQ(clean("\x00\x01\x07\x08\x0b\x0c\x1f\x7f"s), "\\x00\\x01\\x07\\x08\\x0b\\x0c\\x1f\\x7f");
  EXPECT_EQ(clean("\xC2\x85"), "\\u{85}");
}

TEST(CleanTextTest, ShowsInvisibleAndDirectionCharacters) {
  EXPECT_EQ(clean("a\u202eb\u200bc\u2066d\uFEFFe"), "a\\u{202e}b\\u{200b}c\\u{2066}d\\u{feff}e");
  EXPECT_EQ(clean("\U000E0041"), "\\u{e0041}");
  EXPECT_EQ(clean("\xED\xA0\x80"), "\\u{d800}");
}

TEST(CleanTextTest, ReplacesBrokenUtf8PerSubpart) {
  EXPECT_EQ(clean("a\xFF\xE2\x82z"), "a\uFFFD\uFFFDz");
  EXPECT_EQ(clean("a\xE2\x82"), "a\uFFFD");
  EXPECT_EQ(clean("\x80\x9B"), "\uFFFD\uFFFD");
}

TEST(CleanTextTest, ShowsWhatIsNoCompleteSequence) {
  EXPECT_EQ(clean("a\x1b"), "a\\x1b");
  EXPECT_EQ(clean("a\x1b[31"), "a\\x1b[31");
  EXPECT_EQ(clean("a\x1b[31\nb"), "a\\x1b[31\nb");
  EXPECT_EQ(clean("a\x1b\x1b[0mb"),
            "a\\x1b"
            "b");
  EXPECT_EQ(clean("a\x1b]0;t\x1b[0mb"), "a\\x1b]0;tb");
  EXPECT_EQ(clean("a\x1b]0;t\x1b"), "a\\x1b]0;t\\x1b");
  EXPECT_EQ(clean("a\x1b]0;t\x18"
                  "b"),
            "a\\x1b]0;t\\x18"
            "b");
  EXPECT_EQ(clean("\x1b\xC3\xA9"), "\\x1bé");
}

TEST(CleanTextTest, GivesUpOnALongString) {
  const std::string letters(10'000, 'x');
  EXPECT_EQ(clean("\x1b]" + letters), "\\x1b]" + letters);
  EXPECT_EQ(clean("\x1b[" + std::string(5000, '1') + "mend"), "\\x1b[" + std::string(5000, '1') + "mend");
  EXPECT_EQ(clean("\x1b]" + std::string(4000, 'x') +
                  "\x07"
                  "end"),
            "end");
}

TEST(CleanTextTest, NestedStringStartsTakeLinearTime) {
  std::string starts;
  for (int i = 0; i < 1'000'000; ++i) starts += "\xC2\x9D";
  EXPECT_EQ(count_characters(clean(starts)), 6'000'000u);  // \u{9d} each
}

TEST(CleanTextTest, CarriageReturnsBecomeLineEnds) {
  EXPECT_EQ(clean("a\r\nb\r\r\nc"), "a\nb\nc");
  EXPECT_EQ(clean("10%\r20%\r\n"), "10%\n20%\n");
  EXPECT_EQ(clean("\r\r10%\r\x1b[K\r20%"), "10%\n20%");
  EXPECT_EQ(clean("20%\r"), "20%\n");
  EXPECT_EQ(clean("a\n\rb"), "a\nb");
}

TEST(CleanTextTest, CollapsesProgressWhenAsked) {
  EXPECT_EQ(clean("start\n10%\r50%\r\x1b[K100%\r\nend", Collapse::yes), "start\n100%\nend");
  EXPECT_EQ(clean("10%\r20%", Collapse::yes), "20%");
  EXPECT_EQ(clean("10%\r", Collapse::yes), "10%\n");
  EXPECT_EQ(clean("a\r\nb\n", Collapse::yes), "a\nb\n");
}

TEST(CleanTextTest, ALineTooLongToHoldIsNotCollapsed) {
  const std::string line(70'000, 'x');
  EXPECT_EQ(clean(line + "\rend\n", Collapse::yes), std::string(65'536, 'x') + "\nend\n");
  EXPECT_EQ(clean(line + "\n", Collapse::yes), line + "\n");
  std::string euros;
  for (int i = 0; i < 30'000; ++i) euros += "€";
  EXPECT_TRUE(is_utf8(clean(euros + "\rend", Collapse::yes)));
}

TEST(CleanTextTest, FinishLeavesTheCleanerAsNew) {
  TextCleaner cleaner;
  cleaner.feed("a\x1b]0;t");
  EXPECT_EQ(cleaner.finish(), "\\x1b]0;t");
  EXPECT_EQ(cleaner.feed("b") + cleaner.finish(), "b");
}

// Everything that has a meaning, and pieces of it.
const std::vector<std::string> pieces = {
    "a",        "plain text\n",
    "\n",       "\r",
    "\t",       "\x1b",
    "[",        "]",
    "31m",      "0;t",
    "\x07",     "\x1b\\",
    "\\",       "\x1b[K",
    "\x1b(",    "B",
    "\xC2",     "\xC2\x9B",
    "\xC2\x9D", "\x9C",
    "\xE2",     "\x82",
    "\xAC",     "€",
    "😀",        "\xED\xA0",
    "\x80",     "\u202e",
    "\x18",     "\x7f",
    "\xFF",     "\x1bP",
    "~",        std::string(1, '\0'),
    "\x08",     "\xF0\x9F",
};

std::string random_text(std::mt19937& random, size_t most) {
  std::string text;
  for (size_t n = random() % most; n > 0; --n) text += pieces[random() % pieces.size()];
  return text;
}

std::string clean_in_pieces(std::string_view bytes, Collapse collapse, const std::vector<size_t>& cuts) {
  TextCleaner cleaner(collapse);
  std::string text;
  size_t from = 0;
  for (size_t cut : cuts) {
    text += cleaner.feed(bytes.substr(from, cut - from));
    from = cut;
  }
  text += cleaner.feed(bytes.substr(from));
  return text + cleaner.finish();
}

TEST(CleanTextTest, EverySplitInThreeGivesTheSame) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::string text = random_text(random, 16);
    for (Collapse collapse : {Collapse::no, Collapse::yes}) {
      const std::string whole = clean(text, collapse);
      ASSERT_TRUE(is_utf8(whole));
      for (size_t first = 0; first <= text.size(); ++first) {
        for (size_t second = first; second <= text.size(); ++second) {
          ASSERT_EQ(clean_in_pieces(text, collapse, {first, second}), whole) << first << ' ' << second;
        }
      }
    }
  }
}

TEST(CleanTextTest, SplitsNearTheCapsGiveTheSame) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    std::string text = random_text(random, 8);
    if (round % 2) text += "\x1b]" + std::string(4090 + random() % 8, 'x');
    else text += std::string(65'525 + random() % 12, 'y');
    text += random_text(random, 16);
    std::vector<size_t> cuts;
    for (int n = 0; n < 40; ++n) cuts.push_back(random() % text.size());
    for (size_t back = 0; back < 40 && back < text.size(); ++back) cuts.push_back(text.size() - back);
    std::sort(cuts.begin(), cuts.end());
    for (Collapse collapse : {Collapse::no, Collapse::yes}) {
      const std::string whole = clean(text, collapse);
      ASSERT_TRUE(is_utf8(whole));
      ASSERT_EQ(clean_in_pieces(text, collapse, cuts), whole);
    }
  }
}

}  // namespace
}  // namespace talaria
