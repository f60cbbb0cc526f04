#include "process/mask.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(MaskTest, ReplacesValuesWhateverTheirName) {
  const Environment env = {{"API_KEY", "sk-12345678"}, {"GREETING", "hello world"}, {"SHORT_TOKEN", "1234567"}};
  EXPECT_EQ(mask_secrets("a sk-12345678 b sk-12345678", env), "a [masked API_KEY] b [masked API_KEY]");
  EXPECT_EQ(mask_secrets("hello world 1234567", env), "[masked GREETING] 1234567");
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

TEST(MaskTest, CutsBeforeASecretThatTheCutWouldSplit) {
  const Environment env = {{"API_KEY", "abcdefghij"}, {"OTHER_TOKEN", "abxxxxxxxx"}};
  EXPECT_EQ(cut_around_secrets("key: abcdefghij.", 10, env), 5u);
  EXPECT_EQ(cut_around_secrets("key: abcdefghij.", 15, env), 15u);
  EXPECT_EQ(cut_around_secrets("key: abcdefg", 12, env), 5u);  // may go on
  EXPECT_EQ(cut_around_secrets("key: abcdefgX", 13, env), 13u);
  EXPECT_EQ(cut_around_secrets("a", 1, env), 0u);
  EXPECT_EQ(cut_around_secrets("abcdefghij and more", 4, env), 10u);
  EXPECT_EQ(cut_around_secrets("plain", 3, {}), 3u);
  EXPECT_EQ(cut_around_secrets("", 0, env), 0u);
}

TEST(MaskTest, MasksWhatACutLeftOfASecret) {
  const Environment env = {{"API_KEY", "abcdefghij"}};
  EXPECT_EQ(mask_cut_secret("efghij and more", env, CutEnd::front), "[masked API_KEY] and more");
  EXPECT_EQ(mask_cut_secret("it is abcdef", env, CutEnd::back), "it is [masked API_KEY]");
  EXPECT_EQ(mask_cut_secret("hij and more", env, CutEnd::front), "hij and more");
  EXPECT_EQ(mask_cut_secret("", env, CutEnd::front), "");
}

}  // namespace
}  // namespace talaria
