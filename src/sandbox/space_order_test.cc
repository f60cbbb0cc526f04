#include "sandbox/space_order.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(SpaceOrderTest, SurvivesTheJourney) {
  CommandOrder order;
  order.argv = {"/bin/echo", "", std::string("a\0b", 3), "\xff"};
  order.environment = {"A=1", "B="};
  order.cwd = "/w";
  order.terminal = true;
  order.limits = ResourceLimits{.processes = 3};
  order.landlock =
      LandlockRules{.paths = {{.access = PathAccess::write, .path = "/w"}}, .scope_signals = false, .abi = 4};
  order.filter = {1, 2, 3, 4, 5, 6, 7, 8};
  const CommandOrder same = *decode_command_order(encode(order));
  EXPECT_EQ(same.argv, order.argv);
  EXPECT_EQ(same.environment, order.environment);
  EXPECT_EQ(same.cwd, order.cwd);
  EXPECT_TRUE(same.terminal);
  EXPECT_TRUE(same.no_new_privileges);
  EXPECT_EQ(same.limits, order.limits);
  EXPECT_EQ(same.landlock->paths.at(0).path, "/w");
  EXPECT_EQ(same.landlock->paths.at(0).access, PathAccess::write);
  EXPECT_EQ(same.landlock->abi, 4);
  EXPECT_FALSE(same.landlock->scope_signals);
  EXPECT_EQ(same.filter, order.filter);
  EXPECT_EQ(encode(same), encode(order));
}

TEST(SpaceOrderTest, SaysWhichDescriptorsComeWithIt) {
  CommandOrder order;
  order.argv = {"/bin/true"};
  const std::string before = encode(order);
  order.has_cgroup = true;
  order.numbers = {3, 63};
  order.warm = "base";
  const std::string bytes = encode(order);
  const CommandOrder same = *decode_command_order(bytes);
  EXPECT_TRUE(same.has_cgroup);
  EXPECT_EQ(same.numbers, order.numbers);
  EXPECT_EQ(same.warm, order.warm);
  EXPECT_TRUE(bytes.starts_with(before));  // one that has none is as it always was
  for (size_t length = before.size() + 1; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_command_order(bytes.substr(0, length)));
  }
  order.numbers = {64};
  EXPECT_FALSE(decode_command_order(encode(order)));
}

TEST(SpaceOrderTest, AWarmBaseSurvivesTheJourney) {
  const WarmOrder order{"3.11", {"/usr/bin/python3", "-I"}, {"LANG=C.UTF-8"}, {"/usr/lib/python3.11"}};
  const std::string bytes = encode(order);
  EXPECT_EQ(*decode_warm_order(bytes), order);
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(decode_warm_order(bytes.substr(0, length)));
  EXPECT_FALSE(decode_warm_order(bytes + "x"));
  EXPECT_FALSE(decode_warm_order(encode(WarmOrder{"", {"/bin/true"}, {}})));
}

TEST(SpaceOrderTest, RefusesAnyCutOrLongerOrder) {
  CommandOrder order;
  order.argv = {"/bin/true"};
  order.landlock = LandlockRules{.paths = {{.path = "/"}}};
  const std::string bytes = encode(order);
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(decode_command_order(bytes.substr(0, length)));
  EXPECT_FALSE(decode_command_order(bytes + "x"));
  EXPECT_FALSE(decode_command_order(encode(CommandOrder())));
}

}  // namespace
}  // namespace talaria
