#include "talaria/collected_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CollectedOutputTest, IsReadable) {
  CollectedOutput output;
  output.add("a\x1b[31m");
  output.add("b\n");
  EXPECT_EQ(output.shown().text, "ab\n");
  EXPECT_EQ(CollectedOutput().shown().text, "");
}

TEST(CollectedOutputTest, KeepsBothEndsOfALot) {
  CollectedOutput output;
  output.add("first\n");
  const std::string piece(1 << 16, 'x');
  for (int i = 0; i < 400; ++i) output.add(piece + "\n");
  output.add("last\n");
  const std::string text = output.shown().text;
  EXPECT_THAT(text, StartsWith("first\n"));
  EXPECT_THAT(text, EndsWith("last\n"));
  EXPECT_THAT(text, HasSubstr("bytes left out"));
  EXPECT_LT(text.size(), 300'000u);
}

}  // namespace
}  // namespace talaria
