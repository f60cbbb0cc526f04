#include "keeper/recent_count.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(RecentCountTest, ForgetsWhatIsLongAgo) {
  RecentCount count;
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(count.add(3, 10s, begin), 3U);
  EXPECT_EQ(count.add(0, 10s, begin + 5s), 3U);
  EXPECT_EQ(count.add(2, 10s, begin + 9s), 5U);
  EXPECT_EQ(count.add(1, 10s, begin + 11s), 3U);
  EXPECT_EQ(count.add(0, 10s, begin + 60s), 0U);
}

}  // namespace
}  // namespace talaria
