#include "rpc/admission.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/daemon.h"

namespace talaria {
namespace {

TEST(AdmissionTest, TheLimitOfOpenFilesSaysHowManyMayConnect) {
  EXPECT_EQ(most_connections(20, 0), 6u);
  EXPECT_EQ(most_connections(40, 0), 6u);
  EXPECT_EQ(most_connections(64, 0), 24u);
  EXPECT_EQ(most_connections(1024, 0), 744u);
  EXPECT_EQ(most_connections(1 << 20, 0), 4096u);
}

TEST(AdmissionTest, ASettingMayOnlyMakeItLess) {
  EXPECT_EQ(most_connections(1024, 5), 5u);
  EXPECT_EQ(most_connections(64, 500), 24u);
}

TEST(AdmissionTest, RefusesInWordsThatSayWhatToDo) {
  const Peer peer{::getpid(), ::getuid(), ::getgid()};
  const Admission by_limit(
      64, [] { return 0; }, "/usr/bin/talaria");
  EXPECT_TRUE(by_limit.check(peer, 23));
  const Result<> refused = by_limit.check(peer, 24);
  EXPECT_EQ(
      refused.error().message(),
      "24 clients are connected to the gateway, which is the most that its limit of open files (64) allows: "
      "disconnect some, or raise the limit and restart from the same shell: ulimit -n NUMBER; talaria serve --replace");
  const Admission by_setting(
      1024, [] { return 3; }, "/usr/bin/talaria");
  EXPECT_EQ(
      by_setting.check(peer, 3).error().message(),
      "3 clients are connected to the gateway, and gateway.max_connections allows no more: close some, or raise it "
      "(talaria config set gateway.max_connections NUMBER)");
}

TEST(AdmissionTest, KeepsPlacesForTheProgramOfAPerson) {
  const Peer peer{::getpid(), ::getuid(), ::getgid()};
  const Admission admission(
      64, [] { return 0; }, sibling_program("rpc_test"));
  EXPECT_TRUE(admission.check(peer, 25));
  EXPECT_FALSE(admission.check(peer, 26));
}

}  // namespace
}  // namespace talaria
