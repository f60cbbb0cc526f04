#include "guard/violation.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

using Kind = Violation::Kind;

Violation of(Kind kind, const std::string& path, const std::string& why = "it would run") {
  return {kind, path, "direnv", why, ""};
}

TEST(ViolationTest, APathIsToldOnceWithAllItsReasons) {
  const std::vector<Violation> violations = {of(Kind::quarantined, ".envrc"), of(Kind::put_back, "b"),
                                             of(Kind::quarantined, ".envrc", "another reason"), of(Kind::kept, "c"),
                                             of(Kind::quarantined, ".envrc")};
  const ToldPaths told = told_paths(violations, {Kind::quarantined, Kind::put_back});
  const ToldPaths expected{{{".envrc", {"it would run", "another reason"}, 3}, {"b", {"it would run"}, 1}}, 0};
  EXPECT_EQ(told, expected);
}

TEST(ViolationTest, OneThatStandsForOthersIsNoPath) {
  EXPECT_EQ(unlisted_by(more_violations(812)), 812U);
  EXPECT_EQ(unlisted_by(of(Kind::quarantined, "812 more")), 0U);
  EXPECT_EQ(unlisted_by({Kind::stuck, ".", "guard", "nobody looked", ""}), 0U);
  const ToldPaths told = told_paths({of(Kind::quarantined, "a"), more_violations(812)}, {Kind::quarantined});
  EXPECT_EQ(told, (ToldPaths{{{"a", {"it would run"}, 1}}, 812}));
}

TEST(ViolationTest, AListStaysShortAndCountsTheRest) {
  std::vector<Violation> all;
  const std::vector<Violation> many(150, of(Kind::quarantined, "a"));
  add_violations(all, many);
  EXPECT_EQ(all, many);
  add_violations(all, many);
  add_violations(all, {more_violations(7), of(Kind::quarantined, "b")});
  ASSERT_EQ(all.size(), 201U);
  EXPECT_EQ(all.back(), more_violations(108));
}

}  // namespace
}  // namespace talaria
