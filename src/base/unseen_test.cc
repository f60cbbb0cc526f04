#include "base/unseen.h"

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/utf8.h"

namespace talaria {
namespace {

TEST(UnseenTest, TextWithNothingToHideStaysAsItIs) {
  for (const char* text : {"", "plain\n\ttext\n", "äöü €  日本語", "a 👍 b"}) EXPECT_EQ(terminal_text(text), text);
}

TEST(UnseenTest, WhatATerminalWouldObeyIsShown) {
  EXPECT_EQ(terminal_text("a\x1b[8mb\x07\x7f"), "a^[[8mb^G^?");
  EXPECT_EQ(terminal_text("a\u009b8mb"), "a\\x9b8mb");
  EXPECT_EQ(terminal_text("a\x9b"
                          "8mb\xff"),
            "a\\x9b8mb\\xff");
  EXPECT_EQ(terminal_text(std::string_view("a\0b", 3)), "a^@b");
}

TEST(UnseenTest, ALineEndIsOneAndACarriageReturnOfItsOwnIsShown) {
  EXPECT_EQ(terminal_text("safe\r\nevil\rgood\n"), "safe\nevil^Mgood\n");
}

TEST(UnseenTest, WhatHidesOrTurnsTheDirectionIsShown) {
  constexpr std::pair<char32_t, char32_t> ranges[] = {{0x202A, 0x202E}, {0x2066, 0x2069}, {0x200B, 0x200F},
                                                      {0x2060, 0x2064}, {0xFEFF, 0xFEFF}, {0xE0000, 0xE007F}};
  for (const auto& [first, last] : ranges) {
    for (char32_t character = first; character <= last; ++character) {
      std::string text = "a";
      append_utf8(text, character);
      EXPECT_TRUE(terminal_text(text).starts_with("a\\u{")) << text;
    }
  }
  EXPECT_EQ(terminal_text("a\u202eb"), "a\\u{202e}b");
}

TEST(UnseenTest, ItCanBeShownTwice) {
  const std::string once = terminal_text("a\x1b[8m\u202e\r\x9b");
  EXPECT_EQ(terminal_text(once), once);
}

TEST(ShownLineTest, IsOneLineInWhichNothingHides) {
  EXPECT_EQ(shown_line("a b/c.txt"), "a b/c.txt");
  EXPECT_EQ(shown_line("a\nb\tc\rd"), "a\\nb\\tc\\x0dd");
  EXPECT_EQ(shown_line("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(shown_line("\xe2\x80\xaegpj.exe\xe2\x80\x8b"), "\\u{202e}gpj.exe\\u{200b}");
  EXPECT_EQ(shown_line("\xff\xc2\x9b"), "\\xff\\x9b");
  EXPECT_EQ(shown_line("C:\\new \xc3\xa4"), "C:\\new \xc3\xa4");
  EXPECT_EQ(shown_line("-rf"), "-rf");
}

TEST(ShownLineTest, StaysAsItIsWhenShownOnceMore) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(shown_line(shown_line(all)), shown_line(all));
}

TEST(ErrorTextTest, ANameInAnErrorDoesNotBreakItsLine) {
  EXPECT_EQ(Error::from_number(ENOENT, "open a\nb\x1b[1m").message(), "open a\\nb\\x1b[1m: No such file or directory");
}

}  // namespace
}  // namespace talaria
