#include "base/number_text.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(NumberTextTest, SecondsAreWhatPeopleWrite) {
  EXPECT_EQ(parse_seconds("90"), 90);
  EXPECT_EQ(parse_seconds("0.5"), 0.5);
  EXPECT_EQ(parse_seconds(".5"), 0.5);
  EXPECT_EQ(parse_seconds("5."), 5);
  EXPECT_EQ(parse_seconds("1e3"), 1000);
  EXPECT_EQ(parse_seconds("1E-3"), 0.001);
  EXPECT_EQ(parse_seconds("007"), 7);
  EXPECT_EQ(parse_seconds("0"), 0);
  EXPECT_EQ(parse_seconds("-0"), 0);
}

TEST(NumberTextTest, NothingElseIsANumberOfSeconds) {
  for (const char* text :
       {"",      " ",  "nan", "NaN", "nan(1)", "-nan", "inf", "-inf",  "Infinity", "1e400", "-1", "-1e-9", "0x10",
        "0x1p3", "1s", "1 ",  " 1",  "+1",     "1,5",  "1e",  "1.2.3", ".",        "-",     "e5", "1\n"}) {
    EXPECT_EQ(parse_seconds(text), std::nullopt) << text;
  }
}

TEST(NumberTextTest, WholeNumbersAreDecimal) {
  EXPECT_EQ(parse_whole_number("42"), 42);
  EXPECT_EQ(parse_whole_number("-7"), -7);
  EXPECT_EQ(parse_whole_number("010"), 10);
  EXPECT_EQ(parse_whole_number("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "1.0", "1e3", "0x10", "9223372036854775808", "+1", " 1", "1 ", "one", "--1"}) {
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace talaria
