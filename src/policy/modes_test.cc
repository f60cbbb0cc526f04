#include "policy/modes.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(ModesTest, ReadsEveryNameItWrites) {
  for (Security mode : {Security::deny, Security::allowlist, Security::full}) {
    EXPECT_EQ(*parse_security(name_of(mode)), mode);
  }
  for (Ask mode : {Ask::off, Ask::on_miss, Ask::always}) EXPECT_EQ(*parse_ask(name_of(mode)), mode);
  for (Host host : {Host::sandbox, Host::gateway, Host::node, Host::automatic}) {
    EXPECT_EQ(*parse_host(name_of(host)), host);
  }
}

TEST(ModesTest, IgnoresCaseAndBlanksAround) {
  EXPECT_EQ(*parse_security(" FULL\n"), Security::full);
  EXPECT_EQ(*parse_ask("On-Miss"), Ask::on_miss);
}

TEST(ModesTest, NamesTheAllowedValues) {
  EXPECT_EQ(parse_host("x").error().message(),
            "Invalid exec host \"x\". Allowed values: auto, sandbox, gateway, node.");
  EXPECT_EQ(parse_security("none").error().message(),
            "Invalid exec security \"none\". Allowed values: deny, allowlist, full.");
  EXPECT_EQ(parse_ask("").error().message(), "Invalid exec ask \"\". Allowed values: off, on-miss, always.");
}

TEST(ModesTest, ShortensAnEndlessWrongValue) {
  EXPECT_LT(parse_host(std::string(100'000, 'x')).error().message().size(), 200u);
}

TEST(ModesTest, ACallOnlyTightensSecurity) {
  EXPECT_EQ(tighter(Security::full, Security::deny), Security::deny);
  EXPECT_EQ(tighter(Security::allowlist, Security::full), Security::allowlist);
  EXPECT_EQ(tighter(Security::deny, Security::full), Security::deny);
}

TEST(ModesTest, ACallOnlyAsksMore) {
  EXPECT_EQ(stricter(Ask::off, Ask::always), Ask::always);
  EXPECT_EQ(stricter(Ask::always, Ask::off), Ask::always);
  EXPECT_EQ(stricter(Ask::on_miss, Ask::off), Ask::on_miss);
}

}  // namespace
}  // namespace talaria
