#include <gtest/gtest.h>

#include "patch/hunk_cases.h"
#include "patch/v4a.h"

namespace talaria {

void PrintTo(const HunkFailure& failure, std::ostream* out) {
  *out << "hunk " << failure.hunk << ", line " << failure.line << ": " << failure.reason;
}

namespace {

HunksApplied apply(const std::string& text, const std::string& hunks) {
  const Result<std::vector<FileChange>> changes =
      parse_v4a("*** Begin Patch\n*** Update File: a\n" + hunks + "*** End Patch\n");
  if (!changes) {
    ADD_FAILURE() << changes.error().message();
    return {};
  }
  return apply_hunks(text, changes->at(0).hunks);
}

void expect_applied(const std::vector<HunkCase>& cases) {
  for (const HunkCase& each : cases) {
    SCOPED_TRACE(each.name);
    const HunksApplied applied = apply(each.text, each.hunks);
    EXPECT_EQ(applied.failures, std::vector<HunkFailure>{});
    EXPECT_EQ(applied.text, each.expected);
    EXPECT_EQ(applied.strategies, each.strategies);
    EXPECT_EQ(applied.changed, each.changed);
  }
}

TEST(ApplyHunksTest, LinesAreChangedWhereTheyAreFound) { expect_applied(hunk_cases); }
TEST(ApplyHunksTest, ContextMayDifferAndStays) { expect_applied(tolerant_hunk_cases); }
TEST(ApplyHunksTest, HintsTellWhichPlaceIsMeant) { expect_applied(hint_cases); }
TEST(ApplyHunksTest, BytesThatAreNotChangedSurvive) { expect_applied(hunk_byte_cases); }
TEST(ApplyHunksTest, WhatIsAppliedIsNotAppliedAgain) { expect_applied(done_hunk_cases); }

TEST(ApplyHunksTest, EveryHunkThatFailsSaysWhy) {
  for (const FailingHunkCase& each : failing_hunk_cases) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(apply(each.text, each.hunks).failures, each.failures);
  }
}

}  // namespace
}  // namespace talaria
