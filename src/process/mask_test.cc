#include "process/mask.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(MaskTest, ReplacesValuesOfSecretNames) {
  const Environment env = {{"API_KEY", "sk-12345678"}, {"GREETING", "hello world"}, {"SHORT_TOKEN", "1234567"}};
  EXPECT_EQ(mask_secrets("a sk-12345678 b sk-12345678", env), "a [masked API_KEY] b [masked API_KEY]");
  EXPECT_EQ(mask_secrets("hello world 1234567", env), "hello world 1234567");
  EXPECT_EQ(mask_secrets("", env), "");
  EXPECT_EQ(mask_secrets("x", {}), "x");
}

TEST(MaskTest, TheLongestValueWins) {
  const Environment env = {{"A_TOKEN", "abcdefgh"}, {"B_TOKEN", "abcdefghijkl"}};
  EXPECT_EQ(mask_secrets("abcdefghijklm abcdefghi", env), "[masked B_TOKEN]m [masked A_TOKEN]i");
}

TEST(MaskTest, DoesNotMaskItsOwnMarks) {
  const Environment env = {{"A_TOKEN", "12345678"}, {"B_TOKEN", "[masked A_TOKEN]"}};
  EXPECT_EQ(mask_secrets("12345678", env), "[masked A_TOKEN]");
}

TEST(MaskTest, IgnoresTheLineEndOfAValue) {
  EXPECT_EQ(mask_secrets("x=12345678;", {{"A_TOKEN", "12345678\n"}}), "x=[masked A_TOKEN];");
}

TEST(MaskTest, AdjacentValuesAreAllMasked) {
  EXPECT_EQ(mask_secrets("1234567812345678", {{"A_TOKEN", "12345678"}}), "[masked A_TOKEN][masked A_TOKEN]");
}

}  // namespace
}  // namespace talaria
