#include "process/mask.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

std::string hidden(const std::string& text, const Environment& secrets) { return Mask(secrets).hide(text); }

TEST(MaskTest, ReplacesValuesWhateverTheirName) {
  const Environment env = {{"API_KEY", "sk-12345678"}, {"GREETING", "hello world"}, {"SHORT_TOKEN", "1234567"}};
  EXPECT_EQ(hidden("a sk-12345678 b sk-12345678", env), "a [masked API_KEY] b [masked API_KEY]");
  EXPECT_EQ(hidden("hello world 1234567", env), "[masked GREETING] 1234567");
  EXPECT_EQ(hidden("", env), "");
  EXPECT_EQ(hidden("x", {}), "x");
}

TEST(MaskTest, TheLongestValueWins) {
  const Environment env = {{"A_TOKEN", "abcdefgh"}, {"B_TOKEN", "abcdefghijkl"}};
  EXPECT_EQ(hidden("abcdefghijklm abcdefghi", env), "[masked B_TOKEN]m [masked A_TOKEN]i");
}

TEST(MaskTest, DoesNotMaskItsOwnMarks) {
  const Environment env = {{"A_TOKEN", "12345678"}, {"B_TOKEN", "[masked A_TOKEN]"}};
  EXPECT_EQ(hidden("12345678", env), "[masked A_TOKEN]");
}

TEST(MaskTest, IgnoresTheLineEndOfAValue) {
  EXPECT_EQ(hidden("x=12345678;", {{"A_TOKEN", "12345678\n"}}), "x=[masked A_TOKEN];");
}

TEST(MaskTest, AdjacentValuesAreAllMasked) {
  EXPECT_EQ(hidden("1234567812345678", {{"A_TOKEN", "12345678"}}), "[masked A_TOKEN][masked A_TOKEN]");
}

TEST(MaskTest, TwoValuesOfOneNameAreBothMasked) {
  Mask mask(Environment{{"A_TOKEN", "new-value-1"}});
  mask.add("A_TOKEN", "old-value-1");
  EXPECT_EQ(mask.hide("new-value-1 old-value-1"), "[masked A_TOKEN] [masked A_TOKEN]");
}

TEST(MaskTest, MasksTheLinesOfAValueAndWhatJsonMakesOfIt) {
  const Environment env = {{"KEY", "first line of it\nsecond line of it\nend"}};
  EXPECT_EQ(hidden("1|first line of it\n2|second line of it\n3|end", env), "1|[masked KEY]\n2|[masked KEY]\n3|end");
  EXPECT_EQ(hidden(R"({"k": "first line of it\nsecond line of it\nend"})", env), R"({"k": "[masked KEY]"})");
  EXPECT_EQ(hidden(R"("pa\"ss\/word")", {{"PASSWORD", "pa\"ss/word"}}), "\"[masked PASSWORD]\"");
}

TEST(MaskTest, CutsBeforeASecretThatTheCutWouldSplit) {
  const Mask mask(Environment{{"API_KEY", "abcdefghij"}, {"OTHER_TOKEN", "abxxxxxxxx"}});
  EXPECT_EQ(mask.cut_around("key: abcdefghij.", 10), 5u);
  EXPECT_EQ(mask.cut_around("key: abcdefghij.", 15), 15u);
  EXPECT_EQ(mask.cut_around("key: abcdefg", 12), 5u);  // may go on
  EXPECT_EQ(mask.cut_around("key: abcdefgX", 13), 13u);
  EXPECT_EQ(mask.cut_around("a", 1), 0u);
  EXPECT_EQ(mask.cut_around("abcdefghij and more", 4), 10u);
  EXPECT_EQ(Mask().cut_around("plain", 3), 3u);
  EXPECT_EQ(mask.cut_around("", 0), 0u);
}

TEST(MaskTest, MasksWhatACutLeftOfASecret) {
  const Mask mask(Environment{{"API_KEY", "abcdefghij"}});
  EXPECT_EQ(mask.hide_cut("efghij and more", CutEnd::front), "[masked API_KEY] and more");
  EXPECT_EQ(mask.hide_cut("it is abcdef", CutEnd::back), "it is [masked API_KEY]");
  EXPECT_EQ(mask.hide_cut("hij and more", CutEnd::front), "hij and more");
  EXPECT_EQ(mask.hide_cut("", CutEnd::front), "");
}

class FoundSecretTest : public testing::Test {
 protected:
  FoundSecretTest() {
    mask_.add_finder([](std::string_view text) {
      std::vector<SecretSpan> spans;
      for (size_t at = text.find("gone-value"); at != std::string_view::npos; at = text.find("gone-value", at + 1)) {
        spans.push_back({at, 10, "GONE"});
      }
      return spans;
    });
  }
  Mask mask_;
};

TEST_F(FoundSecretTest, IsMaskedBesideThoseWhoseValueIsKnown) {
  mask_.add("API_KEY", "abcdefghij");
  EXPECT_EQ(mask_.hide("a gone-value, abcdefghij gone-value"), "a [masked GONE], [masked API_KEY] [masked GONE]");
}

TEST_F(FoundSecretTest, TheLongerOfTwoAtOnePlaceIsNamed) {
  mask_.add("LONGER", "gone-value-2");
  mask_.add("SHORTER", "gone-val");
  EXPECT_EQ(mask_.hide("gone-value-2 gone-value"), "[masked LONGER] [masked GONE]");
}

TEST_F(FoundSecretTest, IsNotSplitByACut) {
  EXPECT_EQ(mask_.cut_around("it: gone-value.", 8), 4u);
  EXPECT_EQ(mask_.cut_around("gone-value.", 8), 10u);
  EXPECT_EQ(mask_.cut_around("it: gone-value.", 14), 14u);
}

}  // namespace
}  // namespace talaria
