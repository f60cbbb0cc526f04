#include "skills/skill_body_text.h"

#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"

namespace talaria {
namespace {

TEST(SkillBodyTextTest, ShowsWhatCannotBeRead) {
  EXPECT_EQ(shown_text("a\tb\r\nc\rd\x1b\x7f\n"), "a\tb\nc\\x0dd\\x1b\\x7f\n");
  EXPECT_EQ(shown_text(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(shown_text("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"), "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
  EXPECT_EQ(shown_text("\xff\xe2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(shown_text("\xc2\x85"), "\\x85");
  EXPECT_EQ(shown_text("\xe2\x80\xae"), "\xe2\x80\xae");
}

TEST(SkillBodyTextTest, KeepsALineALine) {
  EXPECT_EQ(shown_line("a\r\nb\nc\td"), "a\\nb\\nc\\td");
  EXPECT_EQ(shown_line("\xe2\x80\xa8\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81"),
            "\\u{2028}\\u{202e}\\u{200b}\\u{feff}\\u{e0041}");
  EXPECT_EQ(shown_line("C:\\new"), "C:\\new");
}

TEST(SkillBodyTextTest, AnyBytesBecomeTextOnOneLine) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 24; ++i) bytes += static_cast<char>(random());
    const std::string line = shown_line(bytes);
    EXPECT_TRUE(is_utf8(line));
    for (const char c : line) ASSERT_GE(static_cast<unsigned char>(c), 0x20);
    EXPECT_EQ(shown_line(line), line);
  }
}

TEST(SkillBodyTextTest, ShortensByCharacters) {
  EXPECT_EQ(shortened("\xc3\xa4\xc3\xb6\xc3\xbc", 3), "\xc3\xa4\xc3\xb6\xc3\xbc");
  EXPECT_EQ(shortened("\xc3\xa4\xc3\xb6\xc3\xbc", 2), "\xc3\xa4\xc3\xb6...[truncated]");
  EXPECT_EQ(shortened("", 0), "");
}

TEST(SkillBodyTextTest, TakesBlankLinesFromTheEnds) {
  EXPECT_EQ(without_outer_blank_lines("\n \n  a\n\n b \n\n"), "  a\n\n b");
  EXPECT_EQ(without_outer_blank_lines("a"), "a");
  EXPECT_EQ(without_outer_blank_lines("  a  "), "  a");
  EXPECT_EQ(without_outer_blank_lines(" \n\t"), "");
  EXPECT_EQ(without_outer_blank_lines(""), "");
}

TEST(SkillBodyTextTest, APathIsShownOnlyWhereItIsNoText) {
  EXPECT_EQ(path_text("a\tb\xc3\xa4"), "a\tb\xc3\xa4");
  EXPECT_EQ(path_text("a\tb\xff"), "a\\tb\\xff");
}

}  // namespace
}  // namespace talaria
