// Texts made to take long: each must be answered within a bound that ordinary work never comes near.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "patch/replace.h"
#include "patch/unified_diff.h"
#include "patch/v4a.h"

namespace talaria {
namespace {

// What takes the square of the time would need minutes here; sanitizers and busy machines only a few times as long.
constexpr auto bound = 30s;
constexpr size_t one_megabyte = 1'000'000;

std::string repeat(std::string_view part, size_t bytes) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) text += part;
  return text;
}

struct HostileCase {
  std::string name;
  std::string text;
  ReplaceRequest request;
};

std::vector<HostileCase> hostile_cases() {
  const std::string same = repeat("a", one_megabyte), lines = repeat("a\n", one_megabyte);
  const std::string code = repeat("    if (value) { return compute(value); }\n", one_megabyte);
  return {
      {"one letter", same, {repeat("a", 100'000) + "b", "x"}},
      {"one letter in words", same, {" " + repeat("a", 1'000) + " ", "x"}},
      {"equal lines", lines, {repeat("a\n", 100'000) + "b", "x"}},
      {"equal lines but for blanks", lines, {repeat("a \n", 100'000) + "b", "x"}},
      {"lines that are all similar", code, {repeat("    if (valve) { return compute(valve); }\n", 100'000), "x"}},
      {"blocks that are all similar",
       code,
       {"    if (value) { return compute(value); }\nx\n    if (value) { return compute(value); }", "x"}},
      {"blanks", repeat(" ", one_megabyte), {"x  y", "z"}},
      {"tabs and line ends", repeat("\t\r\n ", one_megabyte), {"x\n\n\ny", "z"}},
      {"dots", repeat("…", one_megabyte), {repeat(".", 1'000) + "-", "x"}},
      {"dots that end within one", repeat("…", one_megabyte), {repeat(".", 1'001), "x"}},
      {"backslashes", repeat("\\", one_megabyte), {repeat("\\n", 100'000), "x"}},
      {"broken bytes", repeat("\xE2\x80", one_megabyte), {"“", "x"}},
      {"everything replaced", same, {"a", "b", true}},
      {"everything replaced by more", same, {"a", repeat("b", one_megabyte), true}},
      {"tolerantly replaced everywhere", repeat("\tf( a)\r\nx\n", one_megabyte), {"f(  a)", "if b:\n  g(a)", true}},
      {"indented beyond measure", repeat(" ", one_megabyte) + "a\n", {"a \n", repeat("b\n  c\n", one_megabyte)}},
      {"both long and different", repeat("abcdefg\n", one_megabyte), {repeat("gfedcba\n", one_megabyte), "x"}},
      {"one long line", repeat("abc def ", one_megabyte), {"abc\ndef", "x"}},
  };
}

TEST(HostileTextTest, EveryReplacementEndsInTime) {
  for (const HostileCase& each : hostile_cases()) {
    SCOPED_TRACE(each.name);
    const auto started = Clock::now();
    const auto outcome = replace_text(each.text, each.request);
    EXPECT_LT(Clock::now() - started, bound);
    if (const auto* failure = std::get_if<ReplaceFailure>(&outcome)) {
      EXPECT_LT(failure->message.size(), 20'000u);
    }
  }
}

TEST(HostileTextTest, EveryPatchEndsInTime) {
  const std::string text = repeat("a\nb\n", one_megabyte);
  for (const std::string& hunk :
       {std::string("@@\n-a\n+b\n"), std::string("@@ a\n-c\n+d\n"), std::string("@@\n a\n+c\n"),
        repeat(" a\n b\n", 100'000) + "-c\n", std::string("@@\n+c\n")}) {
    const auto started = Clock::now();
    const auto changes = parse_v4a("*** Update File: f\n" + repeat(hunk, 500'000));
    ASSERT_TRUE(changes);
    const HunksApplied applied = apply_hunks(text, changes->at(0).hunks);
    EXPECT_EQ(applied.strategies.size(), changes->at(0).hunks.size());
    EXPECT_LT(Clock::now() - started, bound);
  }
}

TEST(HostileTextTest, EveryDiffEndsInTime) {
  const std::string one = repeat("a\nb\nc\n", one_megabyte), two = repeat("c\nb\na\na\n", one_megabyte);
  const auto started = Clock::now();
  EXPECT_LE(unified_diff("f", one, "f", two).size(), 100'100u);
  EXPECT_LT(Clock::now() - started, bound);
}

}  // namespace
}  // namespace talaria
