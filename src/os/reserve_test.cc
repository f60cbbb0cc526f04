#include "os/reserve.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "os/file.h"

namespace talaria {
namespace {

TEST(ReserveTest, HoldsRealRoomUntilItIsGivenUp) {
  char pattern[] = "/tmp/talaria-reserve-XXXXXX";
  ASSERT_TRUE(::mkdtemp(pattern));
  const std::string home = pattern;
  ASSERT_TRUE(make_reserve(home));
  const std::vector<std::string> names = *list_directory(home + "/reserve");
  EXPECT_EQ(names.size(), 8u);
  for (const std::string& name : names) {
    struct stat info {};
    ASSERT_EQ(::stat((home + "/reserve/" + name).c_str(), &info), 0);
    EXPECT_EQ(info.st_size, 16 << 10);
  }
  use_reserve_when_full(home);
  EXPECT_EQ(list_directory(home + "/reserve")->size(), 8u) << "there is room";
  give_up_reserve(home);
  EXPECT_EQ(list_directory(home + "/reserve")->size(), 0u);
  ASSERT_TRUE(make_reserve(home));
  EXPECT_EQ(list_directory(home + "/reserve")->size(), 8u);
  ASSERT_TRUE(remove_tree(home));
}

}  // namespace
}  // namespace talaria
