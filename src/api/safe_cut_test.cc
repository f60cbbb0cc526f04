#include "api/safe_cut.h"

#include <gtest/gtest.h>

#include <string>

#include "process/clean_text.h"

namespace talaria {
namespace {

TEST(SafeCutTest, HoldsBackWhatTheEndSplits) {
  EXPECT_EQ(whole_part("plain"), 5u);
  EXPECT_EQ(whole_part("a\xc3"), 1u);
  EXPECT_EQ(whole_part("a\xe2\x82"), 1u);
  EXPECT_EQ(whole_part("a\xe2\x82\xac"), 4u);
  EXPECT_EQ(whole_part("a\x1b"), 1u);
  EXPECT_EQ(whole_part("a\x1b[1;3"), 1u);
  EXPECT_EQ(whole_part("a\x1b[1;31m"), 8u);
  EXPECT_EQ(whole_part("a\x1b]0;title"), 1u);
  EXPECT_EQ(whole_part("a\x1b]0;title\a"), 11u);
  EXPECT_EQ(whole_part("a\r"), 1u);
  EXPECT_EQ(whole_part("a\r\n"), 3u);
  EXPECT_EQ(whole_part(""), 0u);
}

TEST(SafeCutTest, DoesNotWaitForAnEndlessSequence) {
  const std::string endless = "\x1b]" + std::string(10'000, 'x');
  EXPECT_EQ(whole_part(endless), endless.size());
}

TEST(SafeCutTest, EveryPrefixCutSafelyCleansToAPrefix) {
  const std::string text = "a\x1b[31mré€d\x1b[0m\r\nb\x1b]0;t\x1b\\c\xf0\x9f\x98\x80";
  const std::string whole = clean(text);
  for (size_t length = 0; length <= text.size(); ++length) {
    const std::string_view prefix = std::string_view(text).substr(0, length);
    const size_t cut = whole_part(prefix);
    EXPECT_EQ(clean(prefix.substr(0, cut)) + clean(std::string_view(text).substr(cut)), whole) << length;
  }
}

TEST(SafeCutTest, FitsTextIntoABudget) {
  EXPECT_EQ(part_that_fits("abcdef", 10), 6u);
  EXPECT_EQ(part_that_fits("abcdef", 4), 4u);
  EXPECT_EQ(part_that_fits("aa\nbb\ncc\n", 7), 6u);
  EXPECT_EQ(part_that_fits("\x01\x01\x01\x01", 8), 2u);  // each shown as \x01
  EXPECT_EQ(part_that_fits("\x01", 1), 1u);
}

}  // namespace
}  // namespace talaria
