#include "base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace talaria {
namespace {

using Kind = Utf8Step::Kind;

// The lengths of the steps `bytes` decodes to.
std::vector<size_t> lengths_of(std::string_view bytes) {
  std::vector<size_t> lengths;
  while (!bytes.empty()) {
    lengths.push_back(decode_utf8(bytes).length);
    bytes.remove_prefix(lengths.back());
  }
  return lengths;
}

TEST(Utf8Test, EveryCodePointSurvivesARoundTrip) {
  for (char32_t character = 0; character <= 0x10FFFF; ++character) {
    if (character >= 0xD800 && character <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, character);
    ASSERT_EQ(decode_utf8(bytes), (Utf8Step{Kind::character, character, bytes.size()}))
        << static_cast<uint32_t>(character);
    for (size_t cut = 1; cut < bytes.size(); ++cut) {
      ASSERT_EQ(decode_utf8(bytes.substr(0, cut)), (Utf8Step{Kind::incomplete, 0xFFFD, cut}));
    }
  }
}

TEST(Utf8Test, BrokenBytesAreMaximalSubparts) {
  EXPECT_EQ(lengths_of("\xC0\xAF"), (std::vector<size_t>{1, 1}));                // overlong
  EXPECT_EQ(lengths_of("\xE0\x80\x80"), (std::vector<size_t>{1, 1, 1}));         // overlong
  EXPECT_EQ(lengths_of("\xF0\x9F\x98x"), (std::vector<size_t>{3, 1}));           // cut short by a letter
  EXPECT_EQ(lengths_of("\xF4\x90\x80\x80"), (std::vector<size_t>{1, 1, 1, 1}));  // above U+10FFFF
  EXPECT_EQ(lengths_of("\xFFz"), (std::vector<size_t>{1, 1}));
}

TEST(Utf8Test, ASurrogateIsBrokenButReadable) {
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), (Utf8Step{Kind::broken, 0xD800, 3}));
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));
}

TEST(Utf8Test, AppendingWhatIsNoCharacterGivesTheReplacement) {
  std::string text;
  append_utf8(text, 0xD800);
  append_utf8(text, 0x110000);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

TEST(Utf8Test, CountsCharactersNotBytes) {
  EXPECT_EQ(count_characters(""), 0u);
  EXPECT_EQ(count_characters("aé€😀"), 4u);
  EXPECT_EQ(count_characters("\xFF\xE2\x82"), 2u);
}

TEST(Utf8Test, CutsNeverSplitACharacter) {
  const std::string_view text = "a€b";  // bytes: 1, 3, 1
  const std::vector<size_t> before = {0, 1, 1, 1, 4, 5};
  const std::vector<size_t> after = {0, 1, 4, 4, 4, 5};
  for (size_t offset = 0; offset <= text.size(); ++offset) {
    EXPECT_EQ(cut_at_or_before(text, offset), before[offset]);
    EXPECT_EQ(cut_at_or_after(text, offset), after[offset]);
  }
  EXPECT_EQ(cut_at_or_before(text, 99), 5u);
  EXPECT_EQ(cut_at_or_after(text, 99), 5u);
}

TEST(Utf8Test, StrayContinuationBytesDoNotMoveACut) {
  EXPECT_EQ(cut_at_or_before("\x80\x80\x80\x80\x80", 3), 3u);
  EXPECT_EQ(cut_at_or_after("\x80\x80\x80\x80\x80", 3), 3u);
}

TEST(Utf8Test, TakesTheFirstAndLastCharacters) {
  EXPECT_EQ(first_characters("é€😀x", 2), "é€");
  EXPECT_EQ(last_characters("é€😀x", 2), "😀x");
  EXPECT_EQ(first_characters("é", 9), "é");
  EXPECT_EQ(last_characters("é", 9), "é");
  EXPECT_EQ(last_characters("é", 0), "");
}

}  // namespace
}  // namespace talaria
