#include "sandbox/offline_lookup.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(OfflineLookupTest, OnlyTheLineForHostsIsAnother) {
  EXPECT_EQ(offline_name_switch("# names\npasswd: files systemd\nhosts:  files dns\nnetworks: files\n"),
            "# names\npasswd: files systemd\nnetworks: files\nhosts: files dns files\n");
  EXPECT_EQ(offline_name_switch("passwd: files"), "passwd: files\nhosts: files dns files\n");
}

TEST(OfflineLookupTest, TheMachinesOwnNameStaysKnown) {
  EXPECT_EQ(offline_name_switch(" hosts: files resolve [!UNAVAIL=return] myhostname dns"),
            "hosts: files myhostname dns files\n");
}

}  // namespace
}  // namespace talaria
