#include "skills/skill_card_text.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using Texts = std::vector<std::string>;

TEST(SkillCardTextTest, OneLineHasSingleBlanksAndNothingUnseen) {
  EXPECT_EQ(one_line("  a\n\tb \r\n c  "), "a b c");
  EXPECT_EQ(one_line("a\x01"
                     "b\x7F"
                     "c\xC2\x9B"),
            "abc");
  EXPECT_EQ(one_line("a\u202Eb\u2066c\u200Ed\u200Be\uFEFF"), "abcde");
  EXPECT_EQ(one_line("a\u2028b"), "a b");
  EXPECT_EQ(one_line("x\U000E0041y"), "xy");
  EXPECT_EQ(one_line("👩\u200D💻 é"), "👩\u200D💻 é");
  EXPECT_EQ(one_line(" \n "), "");
}

TEST(SkillCardTextTest, TheFirstParagraphIsNoHeadingCommentOrCode) {
  EXPECT_EQ(first_paragraph("# Title\n\nFirst line\nsecond line.\n\nNext.\n"), "First line second line.");
  EXPECT_EQ(first_paragraph("\nTitle\n=====\n\nText\n"), "Text");
  EXPECT_EQ(first_paragraph("Title\n---\nText\n"), "Text");
  EXPECT_EQ(first_paragraph("<!-- a\n\nb -->\n```sh\nls\n\nx\n```\n    code\n\nText\n# End\n"), "Text");
  EXPECT_EQ(first_paragraph("![badge](x)\n[![b](y)](z)\n\nText\n"), "Text");
  EXPECT_EQ(first_paragraph("---\n\nText\n***\nmore\n"), "Text");
  EXPECT_EQ(first_paragraph("<!-- never closed\nText\n"), "Text");
  EXPECT_EQ(first_paragraph("Text\n```\ncode\n```\n"), "Text");
  EXPECT_EQ(first_paragraph("# Only a title\n"), "");
  EXPECT_EQ(first_paragraph("```\nnever closed\n"), "");
  EXPECT_EQ(first_paragraph(""), "");
}

TEST(SkillCardTextTest, NamesAreSplitAtCommas) {
  EXPECT_EQ(split_names("a, b c,,\"d\" , "), (Texts{"a", "b c", "d"}));
  EXPECT_EQ(split_names("[a, 'b']"), (Texts{"a", "b"}));
  EXPECT_EQ(split_names("[]"), Texts());
  EXPECT_EQ(split_names(" "), Texts());
}

TEST(SkillCardTextTest, WordsAreSplitAtBlanksOutsideParentheses) {
  EXPECT_EQ(split_words("Read Write Bash(git add:*)"), (Texts{"Read", "Write", "Bash(git add:*)"}));
  EXPECT_EQ(split_words("Read, Write,Bash(a, b)"), (Texts{"Read", "Write", "Bash(a, b)"}));
  EXPECT_EQ(split_words("a)b (c"), (Texts{"a)b", "(c"}));
  EXPECT_EQ(split_words(""), Texts());
}

}  // namespace
}  // namespace talaria
