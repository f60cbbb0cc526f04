#include "files/failure.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(FailureTest, SaysWhereARelativePathWasLookedFor) {
  EXPECT_EQ(where_looked_for("a.txt", "/tree/a.txt"), " (looked for in /tree)");
  EXPECT_EQ(where_looked_for("sub/../a.txt", "/tree/sub/../a.txt"), " (looked for in /tree)");
  EXPECT_EQ(where_looked_for("~/a.txt", "/home/ada/a.txt"), " (looked for in /home/ada)");
  EXPECT_EQ(where_looked_for(".", "/tree"), " (looked for in /tree)");
  EXPECT_EQ(where_looked_for("a", "/w\nx/a"), " (looked for in /w\\nx)");
  EXPECT_EQ(where_looked_for("/tree/a.txt", "/tree/a.txt"), "");
}

}  // namespace
}  // namespace talaria
