#include "sandbox/inner_mounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* table =
    "21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "30 21 0:40 / /srv/p rw - tmpfs none rw\n"
    "31 30 0:41 / /srv/p/data rw - tmpfs none rw\n"
    "32 31 254:0 /etc /srv/p/a\\040b\\134c rw - ext4 /dev/vda rw\n"
    "33 31 0:42 / /srv/p/data rw - tmpfs none rw\n"
    "34 21 0:43 / /srv/project rw - tmpfs none rw\n"
    "broken line\n";

TEST(InnerMountsTest, NamesEachPlaceInTheFolderOnce) {
  EXPECT_THAT(mounts_inside("/srv/p", table), ElementsAre("/srv/p/a b\\c", "/srv/p/data"));
  EXPECT_THAT(mounts_inside("/srv/p/data", table), IsEmpty());
  EXPECT_THAT(mounts_inside("/srv/pro", table), IsEmpty());
}

TEST(InnerMountsTest, FindsThoseOfThisMachine) { EXPECT_THAT(mounts_inside("/"), Contains("/proc")); }

}  // namespace
}  // namespace talaria
