#include "code/trace.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace talaria {
namespace {

TEST(TraceTest, HasALineForEachCallAndASum) {
  RunTally tally{.calls = 3, .refused = 2, .result_bytes = 4196};
  tally.records = {
      {.tool = "read_file", .arguments = "path=src/a.c", .began = 12ms, .took = 200us, .result_bytes = 4096},
      {.tool = "terminal", .began = 1500ms, .took = 1240ms, .result_bytes = 100, .failed = true},
      {.tool = "terminal", .arguments = "command=make", .began = 3s, .took = 12ms, .cancelled = true},
  };
  EXPECT_EQ(trace_text(tally),
            "+0.012s  read_file  path=src/a.c  4,096 B  0.2 ms\n"
            "+1.500s  terminal  100 B  1.24 s  FAILED\n"
            "+3.000s  terminal  command=make  0 B  12 ms  CANCELLED\n"
            "3 calls, 1 failed, 1 cancelled, 2 refused, 4,196 B of results, 1.25 s of calls\n");
}

TEST(TraceTest, SaysWhatItDoesNotShow) {
  EXPECT_EQ(trace_text({}), "0 calls, 0 B of results, 0.0 ms of calls\n");
  EXPECT_EQ(trace_text({.calls = 1}), "… 1 further call\n1 call, 0 B of results, 0.0 ms of calls\n");
}

TEST(RunTallyTest, ArgumentsAreShownShort) {
  EXPECT_EQ(short_arguments({}), "");
  EXPECT_EQ(short_arguments({{"path", "src/a.c"}, {"limit", 5}, {"context", nullptr}, {"all", true}}),
            "path=src/a.c limit=5 context=null all=true");
  EXPECT_EQ(short_arguments({{"command", "make all"}, {"urls", {"a", "b c"}}, {"options", JsonObject{{"x", 1}}}}),
            "command=\"make all\" urls=[a, \"b c\"] options={…}");
}

TEST(RunTallyTest, WhatIsBulkyIsOnlyCounted) {
  EXPECT_EQ(short_arguments({{"content", std::string(1234, 'x')}, {"new_string", "y"}, {"patch", ""}, {"code", 7}}),
            "content=(1,234 bytes) new_string=(1 byte) patch=(0 bytes) code=7");
}

TEST(RunTallyTest, ArgumentsStayOnOneSafeLine) {
  EXPECT_EQ(short_arguments({{"a\nb", "x\ny"}, {"c", "\x1b[31mred\x07"}}), "a b=\"x\\ny\" c=\"red\\\\x07\"");
  const std::string line = short_arguments({{"path", std::string(100'000, 'x')}, {"other", "y"}});
  EXPECT_EQ(line, "path=" + std::string(114, 'x') + "…");
  EXPECT_EQ(count_characters(line), 120u);
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "€";
  EXPECT_EQ(count_characters(short_arguments({{"path", wide}})), 120u);
  EXPECT_TRUE(is_utf8(short_arguments({{"path", wide}})));
  EXPECT_EQ(count_characters(short_arguments({{"list", JsonArray(100'000, "item")}})), 120u);
}

}  // namespace
}  // namespace talaria
