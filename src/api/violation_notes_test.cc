#include "api/violation_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard/violation.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Violation::Kind;

Violation found(Kind kind, const std::string& path, const std::string& why = "direnv runs it") {
  return {kind, path, "direnv", why, ""};
}

TEST(ViolationNotesTest, APathIsNamedOnceAndItsTimesAreCounted) {
  const std::vector<Violation> violations = {found(Kind::quarantined, ".envrc"), found(Kind::quarantined, "a/.envrc"),
                                             found(Kind::quarantined, ".envrc"), found(Kind::put_back, ".envrc"),
                                             found(Kind::quarantined, ".envrc", "two\nlines")};
  EXPECT_THAT(
      violation_notes(to_json(violations)),
      ElementsAre("Moved out of the workspace, because it would run outside the sandbox: .envrc (3 times: direnv "
                  "runs it; two\\nlines), a/.envrc (direnv runs it). The person can look at it and put it back: "
                  "talaria sandbox quarantine list.",
                  "Changed back, because the change would run outside the sandbox: .envrc (direnv runs it). The "
                  "person has the changed version: talaria sandbox quarantine list."));
}

TEST(ViolationNotesTest, ManyPathsAreCountedAlsoThoseThatNobodyListed) {
  std::vector<Violation> violations;
  for (int i = 0; i < 7; ++i) violations.push_back(found(Kind::quarantined, std::to_string(i) + "/.envrc"));
  violations.push_back(more_violations(800));
  EXPECT_THAT(violation_notes(to_json(violations)),
              ElementsAre(HasSubstr("4/.envrc (direnv runs it) and 802 more. The person")));
  EXPECT_THAT(violation_notes(to_json({more_violations(3)})), ElementsAre(HasSubstr("the sandbox: 3 more. The")));
}

TEST(ViolationNotesTest, WhatStaysAsTheRepositoryHasItIsNotSaid) {
  EXPECT_EQ(violation_paragraphs({{"violations", to_json({found(Kind::kept, ".envrc")})}}), "");
  EXPECT_EQ(violation_paragraphs({}), "");
  EXPECT_EQ(violation_paragraphs({{"violations", to_json({found(Kind::stuck, ".envrc", "it is a mount")})}}),
            "\n\n(Dangerous and still there: .envrc (it is a mount).)");
}

}  // namespace
}  // namespace talaria
