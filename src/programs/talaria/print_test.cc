#include "talaria/print.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(PrintTest, LongLinesGoOnFurtherIn) {
  EXPECT_EQ(fit_lines("short\n\n  talaria exec   runs it\n", 30), "short\n\n  talaria exec   runs it\n");
  EXPECT_EQ(fit_lines("one two three four", 9), "one two\nthree\nfour");
  EXPECT_EQ(fit_lines("  one two three four", 14), "  one two\n      three\n      four");
}

TEST(PrintTest, WhatBeginsFarInMovesToTheLeftWhereThereIsLittleRoom) {
  EXPECT_EQ(fit_lines("        one two", 12), "    one\n        two");
}

}  // namespace
}  // namespace talaria
