#include "process/excerpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A source that counts what is read of it, and fails the test when a lost byte is asked for.
struct Recorded {
  std::string bytes;
  uint64_t lost_begin = 0, lost_end = 0;
  size_t most_a_read = SIZE_MAX;
  uint64_t read = 0;

  ByteSource source() {
    return {.size = bytes.size(),
            .read = [this](uint64_t offset, size_t length) -> Result<std::string> {
              const uint64_t end = offset + length;
              EXPECT_TRUE(lost_begin >= lost_end || end <= lost_begin || offset >= lost_end) << offset << ' ' << end;
              std::string part = bytes.substr(offset, std::min(length, most_a_read));
              read += part.size();
              return part;
            },
            .lost_begin = lost_begin,
            .lost_end = lost_end};
  }
};

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

// The bytes that are shown around the gap, for text that cleaning does not change.
uint64_t shown_bytes(const Excerpt& result) {
  const std::string gap = "[… " + with_commas(result.left_out_bytes) + " bytes left out …]\n";
  EXPECT_THAT(result.text, HasSubstr(gap));
  return result.text.size() - gap.size();
}

TEST(ExcerptTest, ShortOutputIsWhole) {
  Recorded recorded{"a\x1b[1mb\x1b[0m\nc"};
  EXPECT_EQ(*excerpt(recorded.source(), 100), (Excerpt{"ab\nc", false, 0}));
  EXPECT_EQ(*excerpt(Recorded{}.source(), 100), Excerpt{});
}

TEST(ExcerptTest, TheCapCountsCharactersOfTheCleanedText) {
  std::string euros;
  for (int i = 0; i < 1000; ++i) euros += "\x1b[1m€";
  Recorded recorded{euros};
  EXPECT_FALSE(excerpt(recorded.source(), 1000)->truncated);
  EXPECT_TRUE(excerpt(recorded.source(), 999)->truncated);
}

TEST(ExcerptTest, KeepsHeadAndTailOnWholeLines) {
  Recorded recorded{numbered_lines(1000)};
  const Excerpt result = *excerpt(recorded.source(), 300);
  EXPECT_TRUE(result.truncated);
  EXPECT_LE(count_characters(result.text), 300u);
  EXPECT_GE(count_characters(result.text), 240u);
  EXPECT_THAT(result.text, StartsWith("line 1\nline 2\n"));
  EXPECT_THAT(result.text, EndsWith("line 999\nline 1000\n"));
  EXPECT_THAT(result.text, HasSubstr("\n[… "));
  EXPECT_EQ(shown_bytes(result) + result.left_out_bytes, recorded.bytes.size());
}

TEST(ExcerptTest, ReadsOnlyTheWindowsOfAHugeLog) {
  uint64_t read = 0;
  const ByteSource source{.size = 64 << 20, .read = [&](uint64_t, size_t length) -> Result<std::string> {
                            read += length;
                            std::string lines;
                            while (lines.size() < length) lines += "0123456789012345678\n";
                            return lines.substr(0, length);
                          }};
  const Excerpt result = *excerpt(source, 200'000);
  EXPECT_LE(count_characters(result.text), 200'000u);
  EXPECT_GE(count_characters(result.text), 190'000u);
  EXPECT_EQ(shown_bytes(result) + result.left_out_bytes, 64u << 20);
  EXPECT_LE(read, 4u << 20);
}

TEST(ExcerptTest, NeverSplitsACharacterOrASequence) {
  std::string coloured;
  for (int i = 0; i < 5000; ++i) coloured += "\x1b[38;5;1m€\x1b[0m";
  Recorded recorded{coloured};
  for (size_t cap = 60; cap < 200; ++cap) {
    const Excerpt result = *excerpt(recorded.source(), cap);
    ASSERT_LE(count_characters(result.text), cap);
    const size_t gap = result.text.find("[…"), after = result.text.find("…]");
    for (const std::string& part : {result.text.substr(0, gap), result.text.substr(after + 4)}) {
      for (const std::string& piece : split(part, '\n')) {
        ASSERT_EQ(count_characters(piece) * 3, piece.size()) << result.text;  // nothing but euros
      }
    }
  }
}

TEST(ExcerptTest, LostBytesAreLeftOutAndNeverRead) {
  Recorded recorded{numbered_lines(30), 71, 121};
  const Excerpt result = *excerpt(recorded.source(), 10'000);
  EXPECT_EQ(result, (Excerpt{recorded.bytes.substr(0, 71) + "[… 50 bytes left out …]\n" + recorded.bytes.substr(121),
                             true, 50}));
}

TEST(ExcerptTest, LostBytesAddToWhatDoesNotFit) {
  const std::string text = numbered_lines(100'000);
  for (auto [begin, end] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0, 1000}, {0, text.size()}, {500, 900'000}, {700'000, text.size()}, {400, 500}}) {
    Recorded recorded{text, begin, end};
    const Excerpt result = *excerpt(recorded.source(), 2000);
    EXPECT_LE(count_characters(result.text), 2000u);
    EXPECT_GE(result.left_out_bytes, end - begin);
    const std::string gap = "[… " + with_commas(result.left_out_bytes) + " bytes left out …]";
    ASSERT_THAT(result.text, HasSubstr(gap));
    std::string shown = result.text;
    shown.erase(shown.find(gap), gap.size());
    // One line end after the gap unless nothing follows, one before it where the head does not end a line.
    EXPECT_LE(recorded.bytes.size() - result.left_out_bytes, shown.size());
    EXPECT_GE(recorded.bytes.size() - result.left_out_bytes + 2, shown.size());
  }
}

TEST(ExcerptTest, ControlBytesThatGrowStillFit) {
  Recorded recorded{std::string(100'000, '\x01')};
  const Excerpt result = *excerpt(recorded.source(), 1000);
  EXPECT_LE(count_characters(result.text), 1000u);
  EXPECT_THAT(result.text, StartsWith("\\x01\\x01"));
}

TEST(ExcerptTest, ATinyCapHolds) {
  Recorded recorded{numbered_lines(1000)};
  for (size_t cap = 0; cap < 80; ++cap) {
    const Excerpt result = *excerpt(recorded.source(), cap);
    ASSERT_LE(count_characters(result.text), cap);
    ASSERT_TRUE(is_utf8(result.text));
    ASSERT_TRUE(result.truncated);
  }
}

TEST(ExcerptTest, RandomOutputAlwaysFitsAndIsValid) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Recorded recorded;
    const unsigned kind = random() % 3;
    for (size_t n = random() % 20'000; n > 0; --n) {
      recorded.bytes += static_cast<char>(kind == 0 ? random() : kind == 1 ? "\x1b[1mé\n"[random() % 7] : 'a');
    }
    recorded.most_a_read = 1 + random() % 5000;
    if (round % 2) {
      recorded.lost_begin = random() % (recorded.bytes.size() + 1);
      recorded.lost_end = recorded.lost_begin + random() % (recorded.bytes.size() - recorded.lost_begin + 1);
    }
    const size_t cap = random() % 3000;
    const Excerpt result = *excerpt(recorded.source(), cap);
    ASSERT_LE(count_characters(result.text), cap);
    ASSERT_TRUE(is_utf8(result.text));
    ASSERT_GE(result.left_out_bytes, recorded.lost_end - recorded.lost_begin);
    ASSERT_LE(count_characters(*tail_text(recorded.source(), cap)), cap);
  }
}

TEST(ExcerptTest, AFailedReadIsReported) {
  const ByteSource source{.size = 10,
                          .read = [](uint64_t, size_t) -> Result<std::string> { return invalid("the log is gone"); }};
  EXPECT_EQ(excerpt(source, 100).error().message(), "the log is gone");
  EXPECT_EQ(tail_text(source, 100).error().message(), "the log is gone");
}

TEST(ExcerptTest, BytesThatCouldNotBeReadCountAsLeftOut) {
  ByteSource source = Recorded{"abc\n"}.source();
  source.size = 10;
  source.read = [](uint64_t offset, size_t length) -> Result<std::string> {
    return offset < 4 ? std::string("abc\n").substr(offset, length) : std::string();
  };
  EXPECT_EQ(*excerpt(source, 100), (Excerpt{"[… 6 bytes left out …]\nabc\n", true, 6}));
}

TEST(ExcerptTest, TailTextIsTheLastCharacters) {
  Recorded recorded{numbered_lines(100'000)};
  EXPECT_EQ(*tail_text(recorded.source(), 2000), recorded.bytes.substr(recorded.bytes.size() - 2000));
  EXPECT_LE(recorded.read, 100'000u);
  Recorded small{"a\x1b[1m€"};
  EXPECT_EQ(*tail_text(small.source(), 2000), "a€");
  EXPECT_EQ(*tail_text(small.source(), 1), "€");
  EXPECT_EQ(*tail_text(Recorded{}.source(), 2000), "");
}

TEST(ExcerptTest, TailTextStopsAtLostBytes) {
  Recorded recorded{"0123456789abcdef", 4, 10};
  EXPECT_EQ(*tail_text(recorded.source(), 2000), "abcdef");
  Recorded all_lost{"0123456789", 4, 10};
  EXPECT_EQ(*tail_text(all_lost.source(), 2000), "0123");
}

}  // namespace
}  // namespace talaria
