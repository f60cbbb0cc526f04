#include "sandbox/refused_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/space_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;

TEST(RefusedRoutesTest, FindsTheNumberAmongTheOthers) {
  EXPECT_EQ(refused_routes_in("Ip: Forwarding InDelivers OutNoRoutes ReasmOKs\nIp: 2 71 12 5\nIcmp: InMsgs\nIcmp: 9\n"),
            12U);
  EXPECT_EQ(refused_routes_in("Ip6InNoRoutes                   \t3\nIp6OutNoRoutes                  \t7\n"), 7U);
}

TEST(RefusedRoutesTest, FindsNothingInOtherTexts) {
  for (const char* text : {"", "Ip: A B\n", "Ip: A B\nIp: 1 2\n", "Ip: A OutNoRoutes\nIp: 1\n", "Ip6OutNoRoutes",
                           "Ip6OutNoRoutes x", "Ip: OutNoRoutes\nIp: many\n"}) {
    EXPECT_EQ(refused_routes_in(text), 0U) << text;
  }
}

SPACE_TEST(RefusedRoutesTest, EveryTryToReachAnotherMachineCounts) {
  SpaceTrial trial;
  ASSERT_EQ(trial.prepare(), "");
  const RefusedRoutes& routes = trial.space().refused_routes();
  ASSERT_TRUE(routes.known());
  EXPECT_EQ(trial.run("true").status, 0);
  EXPECT_NE(trial.run("exec 5<>/dev/tcp/127.0.0.1/1").status, 0);  // nobody listens there
  EXPECT_EQ(routes.count(), 0U);
  EXPECT_NE(trial.run("exec 5<>/dev/tcp/10.0.0.1/80").status, 0);
  const uint64_t four = routes.count();
  EXPECT_GT(four, 0U);
  EXPECT_NE(trial.run("exec 5<>/dev/tcp/2001:db8::1/80").status, 0);
  EXPECT_GT(routes.count(), four);
}

SPACE_TEST(RefusedRoutesTest, ANameIsUnknownAtOnceAndTheTryCounts) {
  SpaceTrial trial;
  const Outcome looked_up = trial.run(
      "python3 -c 'import socket; socket.getaddrinfo(\"example.com\", 443)' 2>&1 | tail -n 1; cat /etc/resolv.conf");
  EXPECT_THAT(looked_up.output, HasSubstr("Name or service not known"));
  EXPECT_THAT(looked_up.output, HasSubstr("The network is off in this sandbox"));
  EXPECT_GT(trial.space().refused_routes().count(), 0U);
  EXPECT_EQ(trial.run("python3 -c 'import socket; print(socket.gethostbyname(\"localhost\"))'").output, "127.0.0.1\n");
}

SPACE_TEST(RefusedRoutesTest, NothingIsCountedWhereTheNetworkIsOn) {
  SpaceTrial trial;
  trial.profile.network = NetworkMode::on;
  ASSERT_EQ(trial.prepare(), "");
  EXPECT_FALSE(trial.space().refused_routes().known());
}

}  // namespace
}  // namespace talaria
