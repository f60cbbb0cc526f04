#include "code/script_output.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace talaria {
namespace {

// Gives the bytes in pieces of at most seven, and complains when asked for what is gone.
ByteSource source_of(std::string bytes, uint64_t lost_begin = 0, uint64_t lost_end = 0) {
  const uint64_t size = bytes.size();
  return {
      .size = size,
      .read = [bytes = std::move(bytes), lost_begin, lost_end](uint64_t offset, size_t length) -> Result<std::string> {
        if (offset < lost_end && offset + length > lost_begin) return invalid("asked for bytes that are lost");
        return bytes.substr(offset, std::min<size_t>(length, 7));
      },
      .lost_begin = lost_begin,
      .lost_end = lost_end};
}

TEST(ScriptOutputTest, GivesAllOfWhatFits) {
  EXPECT_EQ(*script_output(source_of(""), 10), ScriptOutput());
  EXPECT_EQ(*script_output(source_of("0123456789"), 10), (ScriptOutput{.text = "0123456789", .total_bytes = 10}));
  EXPECT_EQ(*script_output(source_of("\x1b[31mred\x1b[m"), 20), (ScriptOutput{.text = "red", .total_bytes = 11}));
}

TEST(ScriptOutputTest, GivesHeadAndTailOfWhatDoesNot) {
  const Result<ScriptOutput> output = script_output(source_of("0123456789A"), 10);
  ASSERT_TRUE(output);
  EXPECT_EQ(*output, (ScriptOutput{.text = "0123\n[output truncated at 10 bytes] 1 byte left out\n56789A",
                                   .truncated = true,
                                   .total_bytes = 11,
                                   .left_out_bytes = 1,
                                   .gap_begin = 4,
                                   .gap_end = 52}));
  EXPECT_EQ(output->text.substr(output->gap_end), "56789A");
}

TEST(ScriptOutputTest, SaysTheLimitAsPeopleDo) {
  const std::string bytes = std::string(100'016, 'a') + std::string(100'016, 'b');
  const ScriptOutput output = *script_output(source_of(bytes), 50'000);
  EXPECT_EQ(output.text, std::string(20'000, 'a') + "\n[output truncated at 50KB] 150,032 bytes left out\n" +
                             std::string(30'000, 'b'));
}

TEST(ScriptOutputTest, ALineThatEndsAtTheCutIsNotFollowedByAnEmptyOne) {
  EXPECT_EQ(script_output(source_of("abc\ndefghijklmn"), 10)->text,
            "abc\n[output truncated at 10 bytes] 5 bytes left out\nijklmn");
}

TEST(ScriptOutputTest, NeverSplitsACharacterAndCountsWhatItGaveUpForThat) {
  std::string bytes;
  for (int i = 0; i < 40; ++i) bytes += "€";
  for (size_t max = 0; max <= bytes.size(); ++max) {
    const ScriptOutput output = *script_output(source_of(bytes), max);
    EXPECT_TRUE(is_utf8(output.text)) << max;
    EXPECT_EQ(output.text.find("\xEF\xBF\xBD"), std::string::npos) << max;
    if (output.truncated) {
      const uint64_t kept = output.gap_begin + output.text.size() - output.gap_end;
      EXPECT_EQ(kept + output.left_out_bytes, bytes.size()) << max;
      EXPECT_LE(kept, max);
      EXPECT_GE(kept + 4, max);
    }
  }
}

TEST(ScriptOutputTest, SaysWhatWasLostInsideTheGap) {
  const ScriptOutput output = *script_output(source_of(std::string(100, 'x'), 40, 60), 10);
  EXPECT_EQ(output.text, "xxxx\n[output truncated at 10 bytes] 90 bytes left out, 20 bytes of them not kept\nxxxxxx");
}

TEST(ScriptOutputTest, GivesAllThatIsThereWhenOnlyALossIsMissing) {
  const Result<ScriptOutput> output = script_output(source_of("0123456789", 2, 5), 10);
  ASSERT_TRUE(output);
  EXPECT_EQ(*output, (ScriptOutput{.text = "01\n[output lost] 3 bytes not kept\n56789",
                                   .truncated = true,
                                   .total_bytes = 10,
                                   .left_out_bytes = 3,
                                   .gap_begin = 2,
                                   .gap_end = 34}));
}

TEST(ScriptOutputTest, WhatOneSideCannotUseTheOtherMayHave) {
  EXPECT_EQ(script_output(source_of("01abcdefghijklmn", 2, 5), 10)->text,
            "01\n[output truncated at 10 bytes] 6 bytes left out, 3 bytes of them not kept\nghijklmn");
  EXPECT_EQ(script_output(source_of("0123456789abcdef", 14, 15), 10)->text,
            "012345678\n[output truncated at 10 bytes] 6 bytes left out, 1 byte of them not kept\nf");
}

TEST(ScriptOutputTest, SaysWhenTheSourceHasLessThanItPromised) {
  ByteSource source = source_of("0123456789");
  source.size = 12;
  EXPECT_EQ(script_output(source, 20)->text, "0123456789\n[output lost] 2 bytes not readable\n");
  source.read = [](uint64_t, size_t) -> Result<std::string> { return invalid("no disk"); };
  EXPECT_EQ(script_output(source, 20).error().message(), "no disk");
}

}  // namespace
}  // namespace talaria
