#include "base/columns.h"

#include <gtest/gtest.h>

#include "base/code_range.h"
#include "base/width_table.h"

namespace talaria {
namespace {

TEST(ColumnsTest, WideCharactersTakeTwoAndCombiningOnesNone) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("plain äöü € …"), 13U);
  EXPECT_EQ(columns_of("日本語"), 6U);
  EXPECT_EQ(columns_of("한국어 ｆｕｌｌ"), 15U);
  EXPECT_EQ(columns_of("👍🏗"), 3U);  // the second is drawn narrow unless it is asked for as an emoji
  EXPECT_EQ(columns_of("e\u0301a\u0308\u0323"), 2U);
  EXPECT_EQ(columns_of("a\u200bb\u200d\ufeff"), 2U);
  EXPECT_EQ(columns_of("\u1112\u1161\u11ab"), 2U);  // one syllable of three letters
  EXPECT_EQ(columns_of("\U00020000\U0002fffd"), 4U);
}

TEST(ColumnsTest, ASignThatIsMadeAnEmojiCountsAsWide) {
  EXPECT_EQ(columns_of("❤"), 1U);
  EXPECT_EQ(columns_of("❤\ufe0f"), 2U);
  EXPECT_EQ(columns_of("👍\ufe0f"), 2U);
  EXPECT_EQ(columns_of("\ufe0f"), 0U);
}

TEST(ColumnsTest, BytesThatAreNoTextTakeOneEach) { EXPECT_EQ(columns_of("a\xff\xfe z"), 5U); }

TEST(ColumnsTest, CutsWithoutLeavingHalfACharacter) {
  EXPECT_EQ(first_columns("日本語", 3), "日");
  EXPECT_EQ(first_columns("e\u0301a", 1), "e\u0301");
  EXPECT_EQ(cut_to_columns("日本語", 6), "日本語");
  EXPECT_EQ(cut_to_columns("日本語", 5), "日本…");
  EXPECT_EQ(cut_to_columns("日本語", 4), "日…");
  EXPECT_EQ(cut_to_columns("日本語", 1), "…");
  EXPECT_EQ(cut_to_columns("日本語", 0), "");
}

TEST(ColumnsTest, WrapsAtBlanksAndBreaksOnlyWhatIsLongerThanALine) {
  EXPECT_EQ(wrap_to_columns("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrap_to_columns("日本語 中文", 6, 1), "日本語\n 中文");
  EXPECT_EQ(wrap_to_columns("日本語日本語", 5, 0), "日本\n語日\n本語");
  EXPECT_EQ(wrap_to_columns("日本", 1, 0), "日\n本");
  EXPECT_EQ(wrap_to_columns("a  b", 80, 0), "a  b");
}

TEST(ColumnsTest, TheTablesAreInOrderAndApart) {
  const auto expect_in_order = [](std::span<const CodeRange> ranges) {
    for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LT(ranges[i - 1].last, ranges[i].first);
    for (const CodeRange range : ranges) EXPECT_LE(range.first, range.last);
  };
  expect_in_order(no_column_ranges);
  expect_in_order(two_column_ranges);
  for (const CodeRange range : two_column_ranges) EXPECT_FALSE(is_in(no_column_ranges, range.first));
}

}  // namespace
}  // namespace talaria
