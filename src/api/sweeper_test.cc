#include "api/sweeper.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

constexpr EpochMs hour = 3600'000;
constexpr EpochMs now = 100 * hour;

TEST(SweeperTest, RemovesOrphansAfterAnHour) {
  const std::vector<JobFolder> folders = {{"young", 1, now - hour / 2}, {"old", 1, now - 2 * hour}};
  EXPECT_EQ(folders_to_remove(folders, 1000, now), std::vector<std::string>{"old"});
}

TEST(SweeperTest, RemovesTheOldestFinishedUntilTheRestFits) {
  const std::vector<JobFolder> folders = {{"newest", 40, now - 1, true, true},
                                          {"oldest", 40, now - 3 * hour, true, true},
                                          {"running", 40, now - 4 * hour, true, false},
                                          {"middle", 40, now - 2 * hour, true, true}};
  EXPECT_EQ(folders_to_remove(folders, 200, now), std::vector<std::string>{});
  EXPECT_EQ(folders_to_remove(folders, 130, now), std::vector<std::string>{"oldest"});
  EXPECT_EQ(folders_to_remove(folders, 90, now), (std::vector<std::string>{"oldest", "middle"}));
  EXPECT_EQ(folders_to_remove(folders, 1, now), (std::vector<std::string>{"oldest", "middle", "newest"}));
}

}  // namespace
}  // namespace talaria
