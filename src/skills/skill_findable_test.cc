#include "skills/skill_findable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/file.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class SkillFindableTest : public testing::Test {
 protected:
  SkillFindableTest() : root_(testing::TempDir() + "skill_findable." + std::to_string(::getpid())) {
    EXPECT_TRUE(make_directories(root_ + "/tmpl/scripts"));
    EXPECT_TRUE(write_file_atomically(root_ + "/tmpl/SKILL.md", "x", 0644, Durable::no));
  }
  ~SkillFindableTest() override { (void)remove_tree(root_); }

  std::string refusal(const std::string& path) const {
    const Result<> findable = check_findable(root_, path);
    return findable ? "" : findable.error().message();
  }

  std::string root_;
};

TEST_F(SkillFindableTest, WhatAWalkMeetsIsFindable) {
  for (const char* path : {"a", "research/a", "a/b/c/d/e/f", "scripts/a", "tmpl/more/a", "other/scripts/a"}) {
    EXPECT_EQ(refusal(path), "") << path;
  }
}

TEST_F(SkillFindableTest, AFolderThatIsSkippedIsRefusedWithTheReason) {
  EXPECT_THAT(refusal("venv/v1"), HasSubstr("folders called venv are skipped"));
  EXPECT_THAT(refusal("venv"), HasSubstr("folders called venv are skipped"));
}

TEST_F(SkillFindableTest, AFolderThatIsAPartOfASkillIsRefusedWithTheReason) {
  EXPECT_THAT(refusal("tmpl/scripts/a"),
              HasSubstr("tmpl is a skill, and what is in its folder scripts is a part of it"));
}

TEST_F(SkillFindableTest, AFolderThatLiesTooDeepIsRefusedWithTheReason) {
  EXPECT_THAT(refusal("a/b/c/d/e/f/g"), HasSubstr("it would lie 7 folders below " + root_));
}

}  // namespace
}  // namespace talaria
