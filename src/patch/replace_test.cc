#include "patch/replace.h"

#include <gtest/gtest.h>

#include "patch/replace_exact_cases.h"
#include "patch/replace_refused_cases.h"
#include "patch/replace_similar_cases.h"
#include "patch/replace_tolerant_cases.h"

namespace talaria {

void PrintTo(const LineRange& range, std::ostream* out) { *out << range.first << "-" << range.last; }

namespace {

void expect_replaced(const std::vector<ReplaceCase>& cases) {
  for (const ReplaceCase& each : cases) {
    SCOPED_TRACE(each.name);
    const auto outcome = replace_text(each.text, each.request);
    if (const auto* failure = std::get_if<ReplaceFailure>(&outcome)) {
      ADD_FAILURE() << failure->message;
      continue;
    }
    const auto& replaced = std::get<Replaced>(outcome);
    EXPECT_EQ(replaced.text, each.expected);
    EXPECT_EQ(replaced.strategy, each.strategy);
    EXPECT_EQ(replaced.replacements, each.before.size());
    EXPECT_EQ(replaced.before, each.before);
    EXPECT_EQ(replaced.after, each.after);
    EXPECT_FALSE(replaced.no_change);
    EXPECT_EQ(replaced.note, "");
  }
}

void expect_refused(const std::vector<RefusedCase>& cases) {
  for (const RefusedCase& each : cases) {
    SCOPED_TRACE(each.name);
    const auto outcome = replace_text(each.text, each.request);
    if (const auto* replaced = std::get_if<Replaced>(&outcome)) {
      ADD_FAILURE() << replaced->strategy << ": " << replaced->text;
      continue;
    }
    const auto& failure = std::get<ReplaceFailure>(outcome);
    EXPECT_EQ(failure.kind, each.kind);
    EXPECT_EQ(failure.message, each.message);
    EXPECT_EQ(failure.candidates, each.candidates);
  }
}

TEST(ReplaceTest, ExactTextIsReplacedAsItIs) { expect_replaced(exact_cases); }
TEST(ReplaceTest, AllPlacesAreReplacedFromLeftToRight) { expect_replaced(all_cases); }
TEST(ReplaceTest, LineEndsAndByteOrderMarkSurvive) { expect_replaced(line_end_cases); }
TEST(ReplaceTest, BytesOutsideThePlaceSurvive) { expect_replaced(byte_cases); }
TEST(ReplaceTest, LinesMayDifferInBlanksAtTheirEnds) { expect_replaced(line_trimmed_cases); }
TEST(ReplaceTest, BlanksWithinALineMayDiffer) { expect_replaced(whitespace_cases); }
TEST(ReplaceTest, BlanksWithinALineAndItsDepthMayDiffer) { expect_replaced(indentation_cases); }
TEST(ReplaceTest, EscapesAreReadAsWhatTheyMean) { expect_replaced(escape_cases); }
TEST(ReplaceTest, BlankLinesAroundTheTextMayDiffer) { expect_replaced(boundary_cases); }
TEST(ReplaceTest, TypographyMayDifferAndStays) { expect_replaced(unicode_cases); }
TEST(ReplaceTest, ABlockIsKnownByItsFirstAndLastLine) { expect_replaced(block_anchor_cases); }
TEST(ReplaceTest, ABlockIsKnownByAllOfItsLines) { expect_replaced(context_aware_cases); }

TEST(ReplaceTest, WhatMakesNoSenseIsRefused) { expect_refused(wrong_argument_cases); }
TEST(ReplaceTest, SeveralPlacesAreListed) { expect_refused(ambiguous_cases); }
TEST(ReplaceTest, TheNearestSectionsAreShown) { expect_refused(not_found_cases); }

TEST(ReplaceTest, WhatIsDoneIsNotDoneAgain) {
  for (const DoneCase& each : done_cases) {
    SCOPED_TRACE(each.name);
    const auto outcome = replace_text(each.text, each.request);
    if (const auto* failure = std::get_if<ReplaceFailure>(&outcome)) {
      ADD_FAILURE() << failure->message;
      continue;
    }
    const auto& replaced = std::get<Replaced>(outcome);
    EXPECT_EQ(replaced.text, each.text);
    EXPECT_EQ(replaced.strategy, each.strategy);
    EXPECT_EQ(replaced.note, each.note);
    EXPECT_TRUE(replaced.no_change);
    EXPECT_EQ(replaced.replacements, 0u);
    EXPECT_EQ(replaced.before, std::vector<LineRange>{});
    EXPECT_EQ(replaced.after, std::vector<LineRange>{});
  }
}

}  // namespace
}  // namespace talaria
