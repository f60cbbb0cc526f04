#include "base/path.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(PathTest, KnowsWhatLiesInAFolder) {
  EXPECT_TRUE(is_within("/a/b", "/a"));
  EXPECT_TRUE(is_within("/a", "/a"));
  EXPECT_FALSE(is_within("/ab", "/a"));
  EXPECT_FALSE(is_within("/a", "/a/b"));
  EXPECT_TRUE(is_within("/a", "/"));
  EXPECT_FALSE(is_within("a", "/"));
}

TEST(PathTest, NormalizesAPath) {
  EXPECT_EQ(normal_path("/a//b/./c/../d/"), "/a/b/d");
  EXPECT_EQ(normal_path("/../a"), "/a");
  EXPECT_EQ(normal_path("../a/.."), "..");
  EXPECT_EQ(normal_path("./a"), "a");
  EXPECT_EQ(normal_path("/"), "/");
  EXPECT_EQ(normal_path(""), "");
}

}  // namespace
}  // namespace talaria
