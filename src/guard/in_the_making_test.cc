#include "guard/in_the_making.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

class InTheMakingTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_directories(folder_));
    ASSERT_TRUE(write_file_atomically(folder_ + "/a", "x", 0644, Durable::no));
    root_ = *open_file(folder_, O_RDONLY | O_DIRECTORY);
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }
  bool is(InTheMaking& making, Look look) const { return making.is("a", {"a", "gone"}, root_.get(), look); }

  std::string folder_ = testing::TempDir() + "making-" + std::to_string(random_u64());
  UniqueFd root_;
};

TEST_F(InTheMakingTest, WhatWasWrittenJustNowIs) {
  InTheMaking making({1h, 1h});
  EXPECT_TRUE(is(making, Look::hasty));
  EXPECT_TRUE(is(making, Look::hasty));
  EXPECT_FALSE(is(making, Look::final));
}

TEST_F(InTheMakingTest, WhatHasBeenQuietIsNot) {
  InTheMaking making({0ms, 1h});
  EXPECT_FALSE(is(making, Look::hasty));
}

TEST_F(InTheMakingTest, NothingIsForLong) {
  InTheMaking making({1h, 0ms});
  EXPECT_FALSE(is(making, Look::hasty));
}

}  // namespace
}  // namespace talaria
