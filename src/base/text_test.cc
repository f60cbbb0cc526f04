#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TextTest, TrimsBlanksFromBothEnds) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(TextTest, SplitsAndJoins) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(TextTest, LowersAsciiOnly) { EXPECT_EQ(lower("AbZ-É"), "abz-É"); }

TEST(TextTest, QuotesForAShellOnlyWhereNeeded) {
  EXPECT_EQ(shell_quote("a/b-c_1.x"), "a/b-c_1.x");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quote("~"), "'~'");
}

TEST(TextTest, PutsCommasIntoNumbers) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(123456), "123,456");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(TextTest, SaysBytesForPeople) {
  EXPECT_EQ(human_bytes(0), "0 bytes");
  EXPECT_EQ(human_bytes(1), "1 byte");
  EXPECT_EQ(human_bytes(1023), "1023 bytes");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(64 << 20), "64 MiB");
  EXPECT_EQ(human_bytes((1 << 20) - 1), "1 MiB");
  EXPECT_EQ(human_bytes((1 << 20) + 1), "1 MiB");
  EXPECT_EQ(human_bytes(uint64_t{5} << 50), "5120 TiB");
}

TEST(TextTest, SaysDurationsForPeople) {
  EXPECT_EQ(human_duration(0), "0ms");
  EXPECT_EQ(human_duration(850), "850ms");
  EXPECT_EQ(human_duration(12'999), "12s");
  EXPECT_EQ(human_duration(184'000), "3m04s");
  EXPECT_EQ(human_duration(7'500'000), "2h05m");
  EXPECT_EQ(human_duration(352'800'000), "4d02h");
}

TEST(TextTest, FindsWhatAPersonMayHaveMeant) {
  const std::vector<std::string> names = {"timeout", "command", "workdir", "env"};
  EXPECT_THAT(nearest("timout", names), ElementsAre("timeout"));
  EXPECT_THAT(nearest("TIMEOUT", names), ElementsAre("timeout"));
  EXPECT_THAT(nearest("something else", names), IsEmpty());
  EXPECT_THAT(nearest("en", {"env", "eng", "end", "x"}, 2), ElementsAre("env", "eng"));
}

}  // namespace
}  // namespace talaria
